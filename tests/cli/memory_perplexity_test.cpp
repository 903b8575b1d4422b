#include <cmath>
#include <utility>

#include "cli/memory_run.hpp"
#include "cli/perplexity_run.hpp"
#include "needs.hpp"

using namespace axelram;
using namespace test;

namespace {

/// One window of the README, from byte `skip` on.
std::string window_of(const std::string& model, int skip, int tokens, const std::string& cache) {
  const std::string n = std::to_string(tokens);
  return "perplexity " + model + " " + kReadme + " --skip " + std::to_string(skip) + " --tokens " +
         n + " --window " + n + " --stride 1 --force --no-noise --cache " + cache + " ";
}

std::vector<double> likelihoods(const TempDir& axelram, const std::string& run) {
  CASE(run);
  REQUIRE(axelram(run + " --nll nll"));
  return nll_of(axelram, "nll");
}

/// Writes the configuration of a macro with the slots of kMemory.
void put_macro(const TempDir& axelram) {
  axelram.put("memory.yaml",
              "macro: {head_dim: 128, index_bits: 3, max_keys: 48}\n"
              "memory: {window: 24, exact: 16, summary: 8, sinks: 4}\n");
}

/// Checks the counters of a memory whose window `evicted` tokens left, `sinks` of them as sinks.
void check_counts(const Json& head, int evicted, int sinks) {
  CASE(head.dump());
  const auto of = [&](const char* name) { return head[name].get<int>(); };
  CHECK(of("evicted") == evicted);
  CHECK(of("gated_out") + of("novel") + of("hits") + of("between") == evicted - sinks);
  CHECK(of("displaced") <= of("novel"));
  CHECK(of("spawned") <= 8);
  CHECK(of("spawned") + of("merged") <= evicted - sinks);
  CHECK(head["fill"] > 0.5);
  CHECK(head["fill"] <= 1);
  CHECK(head["life"] > 0);
}

}  // namespace

TEST_CASE("perplexity --from: the likelihoods of one window that is not cut") {
  const TempDir axelram;
  put_gated_model(axelram);
  for (const auto& [model, cache] : std::initializer_list<std::pair<std::string, std::string>>{
           {kByteLlama, kMemory},
           {kByteLlama, kMemory + ",store=fp16"},
           {kByteLlama, kMemory + ",seed=3,ber=1e-3,fault_seed=4"},
           {"gated", "memory"}}) {
    CASE(cache);
    const std::vector<double> whole = likelihoods(axelram, window_of(model, 0, 120, cache));
    REQUIRE(whole.size() == 119);
    for (const int n : {10, 24, 80}) {
      CASE(n);
      const std::string rest = window_of(model, n, 120 - n, cache) + "--from state ";
      const std::string state =
          state_of(axelram, "prefill " + model + " " + kReadme + " --force --tokens " +
                                std::to_string(n) + " --cache " + cache);
      const std::vector<double> expected(whole.begin() + n, whole.end());
      for (const std::string more : {"", "--chunk 1", "--chunk 7 --threads 1", "--engine golden"}) {
        CASE(more);
        if (!more.empty() && n != 80) continue;
        CHECK_SAME(likelihoods(axelram, rest + more), expected);
      }
      CHECK_SAME(axelram.content("state"), state);
    }
    // Without the state the same window has other likelihoods.
    CHECK_DIFFERENT(likelihoods(axelram, window_of(model, 80, 40, cache)),
                    std::vector<double>(whole.begin() + 80, whole.end()));
    for (const std::string more : {"--chunk 1", "--chunk 7 --threads 3", "--engine golden"}) {
      CASE(more);
      CHECK_SAME(likelihoods(axelram, window_of(model, 0, 120, cache) + more), whole);
    }
  }
}

TEST_CASE("perplexity: --chunk and --threads change no likelihood of a text of several chunks") {
  const TempDir axelram;
  const std::string run = window_of(kByteLlama, 0, 1100, kMemory);
  const std::vector<double> whole = likelihoods(axelram, run);
  REQUIRE(whole.size() == 1099);
  for (const std::string more :
       {"--chunk 1 --threads 3", "--chunk 7 --threads 2", "--chunk 64 --threads 1",
        "--chunk 64 --threads 4", "--chunk 1024 --threads 2", "--chunk 1024 --threads 3"}) {
    CASE(more);
    CHECK_SAME(likelihoods(axelram, run + more), whole);
  }
}

TEST_CASE("perplexity: a text within the window of FP16 rows costs what the FP16 cache does") {
  const TempDir axelram;
  // Differential attention sums values once over a memory and twice over the FP16 cache.
  for (const std::string& model : {kByteLlama, kSource + "/models/byte-coda-d128"}) {
    CASE(model);
    const auto mean = [&](const std::string& cache) {
      double sum = 0;
      for (const double nats : likelihoods(axelram, window_of(model, 0, 128, cache))) sum += nats;
      return sum / 127;
    };
    const double fp16 = mean("fp16");
    CHECK(std::abs(mean("memory:window=128,store=fp16") - fp16) < 1e-5);
    CHECK(std::abs(mean("memory:window=40,exact=0,summary=0,store=fp16") - fp16) > 1e-5);
  }
}

TEST_CASE(
    "perplexity: without its first tokens a pretrained model fails, with 4 sinks it does not" *
    needs_smollm2) {
  const TempDir axelram;
  const auto lost = [&](const std::string& memory) {
    REQUIRE(axelram(
        "perplexity smollm2-135m " + kSource + "/docs/reference/bit-contract.md --tokens 160 " +
        "--window 160 --no-noise --json p.json --force --cache memory:store=fp16,summary=0," +
        memory));
    const Json json = axelram.json("p.json");
    return json["nll"].get<double>() - json["baseline"]["nll"].get<double>();
  };
  CHECK(lost("window=64,exact=0") > 0.3);
  CHECK(std::abs(lost("window=60,exact=4,sinks=4")) < 0.05);
}

TEST_CASE("perplexity --from: every window goes on from the state") {
  const TempDir axelram;
  state_of(axelram, prefill_of(0, 60, "--cache " + kMemory));
  const std::string from = "--from state ";
  const std::vector<double> both =
      likelihoods(axelram, "perplexity " + kByteLlama + " " + kReadme +
                               " --force --skip 60 --tokens 80 --window 40 --separate --cache " +
                               kMemory + " " + from);
  std::vector<double> alone = likelihoods(axelram, window_of(kByteLlama, 60, 40, kMemory) + from);
  const std::vector<double> second =
      likelihoods(axelram, window_of(kByteLlama, 100, 40, kMemory) + from);
  alone.insert(alone.end(), second.begin(), second.end());
  CHECK_SAME(both, alone);
}

TEST_CASE("perplexity: bytes of the full cache, of as many tokens as there are") {
  const TempDir axelram;
  state_of(axelram, prefill_of(0, 60, "--cache " + kMemory));
  const auto full = [&](const std::string& more) {
    REQUIRE(axelram("perplexity " + kByteLlama + " " + kReadme +
                    " --force --no-noise --json p.json --cache " + kMemory + more));
    return axelram.json("p.json")["memory"]["baseline_bytes"];
  };
  const int token = 4 * 2 * 2 * 128 * 2;  // layers, KV heads, keys and values, elements, bytes
  // A short text takes less than a memory of it; both sizes are told.
  CHECK(full(" --tokens 10 --window 10 --stride 1") == 10 * token);
  CHECK(axelram.json("p.json")["memory"]["bytes"] == 60160);
  CHECK(10 * token < 60160);
  // The window is no longer than the text.
  CHECK(full(" --tokens 30 --window 64 --stride 1") == 30 * token);
  CHECK(full(" --tokens 80 --window 40 --separate --from state") == (60 + 40) * token);
}

TEST_CASE("perplexity: sizes of a memory and what became of its tokens") {
  const TempDir axelram;
  put_gated_model(axelram);
  int gated_out = 0;
  for (const std::string& model : {kByteLlama, std::string("gated")}) {
    CASE(model);
    const std::string run = window_of(model, 0, 200, kMemory) + "--json p.json ";
    const std::string printed = axelram.output(run);
    CHECK(contains(printed,
                   "memory: 48 slots a layer and KV head, 60160 bytes; fp16 takes 819200 "
                   "bytes at 200 tokens\n1408 tokens left windows: "));
    const Json whole = axelram.json("p.json");
    CHECK(whole["memory"]["slots"] == 48);
    CHECK(whole["memory"]["bytes"] == 60160);
    CHECK(whole["memory"]["baseline_bytes"] == 4 * 2 * 200 * 4 * 128);
    const Json& memories = whole["per_seed"][0]["memories"];
    REQUIRE(memories.size() == 8);
    for (std::size_t place = 0; place < 8; ++place) {
      CASE(place);
      CHECK(memories[place]["layer"] == place / 2);
      CHECK(memories[place]["head"] == place % 2);
      check_counts(memories[place], 200 - 24, 4);
      gated_out += memories[place]["gated_out"].get<int>();
      if (model != kByteLlama) continue;
      // With an open gate no token is dropped, so that a merge alone frees a slot.
      CHECK(gated_out == 0);
      CHECK(memories[place]["fill"].get<double>() * 48 ==
            doctest::Approx(200 - memories[place]["merged"].get<int>()));
    }
    // The counters of a chunk are those of the whole window.
    REQUIRE(axelram(run + "--chunk 7 --engine golden"));
    CHECK(axelram.json("p.json")["per_seed"][0]["memories"] == memories);
  }
  CHECK(gated_out > 0);

  // From a state every token pushes another one out of the window, and sinks are there already.
  state_of(axelram, prefill_of(0, 60, "--cache " + kMemory));
  REQUIRE(axelram(window_of(kByteLlama, 60, 50, kMemory) + "--from state --json p.json"));
  for (const Json memories = axelram.json("p.json")["per_seed"][0]["memories"];
       const Json& head : memories) {
    CASE(memories);
    check_counts(head, 50, 0);
  }
  // Several windows, of which each has its sinks.
  REQUIRE(axelram("perplexity " + kByteLlama + " " + kReadme +
                  " --tokens 120 --window 60 --separate --force --json p.json --cache " + kMemory));
  for (const Json memories = axelram.json("p.json")["per_seed"][0]["memories"];
       const Json& head : memories)
    CHECK_AT(memories, head["evicted"] == 2 * (60 - 24));
  // A cache that grows has neither.
  REQUIRE(axelram(window_of(kByteLlama, 0, 30, "int4") + "--json p.json"));
  CHECK(axelram.json("p.json")["memory"].is_null());
  CHECK_FALSE(axelram.json("p.json")["per_seed"][0].contains("memories"));
}

TEST_CASE("perplexity: what a memory and a state do not take") {
  const TempDir axelram;
  const std::string state = state_of(axelram, prefill_of(0, 60, "--cache " + kMemory));
  const std::string run = window_of(kByteLlama, 60, 30, kMemory);
  const std::string from = run + "--from state ";
  const std::string one = "--from: a state has one memory; name one --cache and no --seeds";
  axelram.rejected(from + "--seeds 1", one);
  axelram.rejected(from + "--cache fp16", one);
  axelram.rejected(from + "--engine rtl",
                   "--from: --engine rtl has no memory; use --engine golden");
  axelram.rejected(from + "--engine cuda", "--from: --engine cuda has no memory");
  axelram.rejected(from + "--nll state", "state: is also an input");
  axelram.rejected(from + "--bos", "--bos begins a text, and --from goes on with one");
  axelram.rejected(from + "--scores", "does not keep all keys");
  axelram.rejected(window_of(kByteLlama, 60, 30, "fp16") + "--from state",
                   "cache 'fp16' keeps all tokens and is no state; use memory");
  axelram.rejected(window_of(kByteLlama, 60, 30, "memory") + "--from state",
                   "state: metadata memory: window=24; this memory has window=256");
  axelram.rejected(run + "--from missing", "missing: no such file");
  axelram.rejected(run + "--engine rtl", "are not an axelram cache");
  axelram.rejected(window_of(kByteLlama, 0, 2000, kMemory) + "--from state",
                   "a sequence of 2060 tokens; the model takes 1..2048");
  CHECK_SAME(axelram.content("state"), state);
}

TEST_CASE("capture --memory: a trace whose memory is that of a prefill") {
  const TempDir axelram;
  put_macro(axelram);
  put_gated_model(axelram);
  for (const std::string& model : {kByteLlama, std::string("gated")}) {
    CASE(model);
    REQUIRE(axelram("capture " + model + " " + kReadme +
                    " --layer 0 --head 0 --tokens 100 --memory --force -o t"));
    const auto trace = files::Safetensors::read(axelram.at("t"));
    CHECK_SAME(trace.at("gates").shape, files::Shape{100});
    CHECK_SAME(trace.at("queries").shape, files::Shape{200, 128});
    for (const float gate : trace.at("gates").values<float>())
      CHECK_AT(gate, (gate == 16) == (model == kByteLlama));
    const std::string run = "run memory.yaml t --force ";
    REQUIRE(axelram(run + "-o golden --engine golden --json g.json"));
    REQUIRE(axelram(run + "-o fast --engine fast"));
    CHECK_SAME(axelram.content("golden"), axelram.content("fast"));
    CHECK(axelram.json("g.json")["tokens"] == 100);
    CHECK(axelram.json("g.json")["slots"] == 48);
    CHECK(axelram.json("g.json")["events"]["evicted"]["nothing"] == 24);
    if (model != kByteLlama) continue;
    // Keys of the first layer depend on no cache: its state is the same.
    state_of(axelram, prefill_of(0, 100, "--cache " + kMemory));
    const auto state = files::Safetensors::read(axelram.at("state"));
    const auto result = files::Safetensors::read(axelram.at("fast"));
    for (const char* name : {"labels", "gates", "positions", "stamps", "merged", "key_records",
                             "value_records", "masters"}) {
      CASE(name);
      const files::Tensor& one = result.at(name);
      const std::string first(reinterpret_cast<const char*>(state.at(name).data), one.bytes);
      CHECK(std::string(reinterpret_cast<const char*>(one.data), one.bytes) == first);
    }
  }
}

TEST_CASE("capture --memory: what it does not take") {
  const TempDir axelram;
  const std::string run =
      "capture " + kByteLlama + " " + kReadme + " --layer 1 --head 0 --tokens 100 --memory -o t ";
  const std::string part = "--memory: a memory takes one window of turned keys in FP16";
  axelram.rejected(run + "--window 50", part);
  axelram.rejected(run + "--before-rotary", part);
  axelram.rejected(run + "--format bf16", part);
  REQUIRE(axelram(run));
  put_macro(axelram);
  for (const std::string engine : {"rtl", "cuda"}) {
    CASE(engine);
    axelram.rejected("run memory.yaml t -o out --engine " + engine,
                     "--engine " + engine + " has no bounded memory; use golden or fast");
  }
  axelram.rejected("run memory.yaml t -o t --force", "t: is also an input");
  // A trace of other caches has no gates.
  REQUIRE(axelram("capture " + kByteLlama + " " + kReadme +
                  " --layer 1 --head 0 --tokens 100 -o plain"));
  axelram.rejected("run memory.yaml plain -o out", "plain: no tensor 'gates'");
}
