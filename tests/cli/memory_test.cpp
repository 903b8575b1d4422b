
#include "cli/memory_run.hpp"

using namespace axelram;
using namespace test;

namespace {

/// Memories with every store, with a code, and with bit errors.
const std::vector<std::string> kMemories = {kMemory, kMemory + ",store=fp16",
                                            kMemory + ",store=fp16,summary_key=band,evict=lru",
                                            kMemory + ",config=coded.yaml,ber=1e-3,fault_seed=4"};

void put_coded(const TempDir& axelram) {
  axelram.put("coded.yaml", "macro: {head_dim: 128, index_bits: 3}\necc: {code: hamming84}\n");
}

}  // namespace

TEST_CASE("prefill: --chunk and --threads change no byte of a state") {
  const TempDir axelram;
  put_coded(axelram);
  for (const std::string& memory : kMemories) {
    CASE(memory);
    const std::string run = prefill_of(0, 130, "--cache " + memory);
    const std::string whole = state_of(axelram, run);
    for (const int chunk : {1, 7, 64, 1024})
      for (const int threads : {1, 2, 3, 4}) {
        CASE(chunk, threads);
        // The other memories have one number of threads for each chunk.
        if (&memory != &kMemories.front() && threads != 1 + chunk % 4) continue;
        CHECK(state_of(axelram, run + " --chunk " + std::to_string(chunk) + " --threads " +
                                    std::to_string(threads)) == whole);
      }
  }
}

TEST_CASE("prefill: --chunk and --threads change no byte of a text of several chunks") {
  const TempDir axelram;
  const std::string run = prefill_of(0, 1100, "--cache " + kMemory);
  const std::string whole = state_of(axelram, run);
  CHECK(state_of(axelram, run + " --chunk 1 --threads 2") == whole);
  for (const int chunk : {7, 64, 1024})
    for (const int threads : {1, 2, 3, 4}) {
      CASE(chunk, threads);
      CHECK(state_of(axelram, run + " --chunk " + std::to_string(chunk) + " --threads " +
                                  std::to_string(threads)) == whole);
    }
}

TEST_CASE("prefill: a stop changes no byte, below the window, at it and above it") {
  const TempDir axelram;
  put_coded(axelram);
  for (const std::string& memory : kMemories) {
    CASE(memory);
    const std::string cache = "--cache " + memory;
    const std::string whole = state_of(axelram, prefill_of(0, 130, cache));
    for (const int n : {1, 24, 25, 90}) {
      CASE(n);
      const std::string first = state_of(axelram, prefill_of(0, n, cache));
      // Twice in a row: a state goes on, is saved, and goes on again.
      for (const std::string name : {"first", "second"}) {
        CASE(name);
        std::filesystem::rename(axelram.at("state"), axelram.at(name));
        const int before = name == "first" ? n : n + 15;
        const int after = name == "first" ? 15 : 130 - n - 15;
        state_of(axelram, prefill_of(before, after, cache + " --from " + name));
      }
      CHECK_SAME(axelram.content("state"), whole);
      CHECK_SAME(axelram.content("first"), first);
    }
  }
}

TEST_CASE("prefill: the size of a state does not depend on the tokens") {
  const TempDir axelram;
  put_coded(axelram);
  for (const std::string& memory : kMemories) {
    CASE(memory);
    const auto size = [&](int tokens) {
      return state_of(axelram, prefill_of(0, tokens, "--json p.json --cache " + memory)).size();
    };
    const std::size_t after_100 = size(100);
    CHECK(size(1) == after_100);
    CHECK(size(240) == after_100);
    const Json json = axelram.json("p.json");
    CHECK(json["file_bytes"] == after_100);
    CHECK(json["tokens"] == 240);
    CHECK(json["tokens_before"] == 0);
    CHECK(json["slots"] == 48);
    CHECK(json["full_cache_bytes"] == 4 * 2 * 240 * 4 * 128);
    // All of the file but the final state is memory.
    std::size_t bytes = 0;
    const files::Safetensors state = files::Safetensors::read(axelram.at("state"));
    for (const files::Tensor& tensor : state.tensors())
      if (tensor.name != "hidden") bytes += tensor.bytes;
    CHECK(json["memory_bytes"] == bytes);
  }
}

TEST_CASE("prefill: a checkpoint's own memory and gates are the default") {
  const TempDir axelram;
  put_gated_model(axelram);
  const auto run = [](int skip, int tokens, const std::string& more) {
    return "prefill gated " + kReadme + " --skip " + std::to_string(skip) + " --tokens " +
           std::to_string(tokens) + " --force " + more;
  };
  const std::string whole = state_of(axelram, run(0, 150, ""));
  CHECK(state_of(axelram, run(0, 150, "--cache memory --chunk 7 --threads 3")) == whole);
  CHECK(state_of(axelram, run(0, 150, "--cache " + kMemory + " --chunk 1")) == whole);
  CHECK(state_of(axelram, run(0, 150, "--cache memory:evict=lru")) != whole);
  const std::string state = state_of(axelram, run(0, 60, ""));
  std::filesystem::rename(axelram.at("state"), axelram.at("first"));
  CHECK(state_of(axelram, run(60, 90, "--from first")) == whole);
  CHECK(contains(whole, "blend=model"));
  // Gates that are open for some tokens and closed for others.
  REQUIRE(axelram("state state --json s.json"));
  for (const Json memories = axelram.json("s.json")["memories"]; const Json& head : memories) {
    CASE(memories);
    CHECK(head["gate"] > 0);
    CHECK(head["gate"] < 255);
  }
}

TEST_CASE("prefill: what it does not take, and nothing is written") {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = "prefill " + kByteLlama + " text.txt ";
  axelram.rejected(run + "--cache fp16 -o s",
                   "'fp16' keeps all tokens and is no state; use memory");
  axelram.rejected(run + "--cache memory:store=f32 -o s", "store is f32");
  // The store is rejected before the text, which is too long.
  axelram.rejected("prefill " + kByteLlama + " " + kReadme + " --cache memory:store=f32 -o s",
                   "cache memory: memory.store is f32; it has no state file");
  axelram.rejected(run + "--bos --from s -o t", "--bos begins a text, and --from goes on with one");
  axelram.put("empty", "");
  axelram.rejected("prefill " + kByteLlama + " empty -o s",
                   "empty: 0 tokens; at least one is needed");
  axelram.rejected(run + "--cache memory:window=0 -o s", "window is '0'");
  axelram.rejected(run + "--cache memory:exact=4,sinks=5 -o s", "memory.sinks is 5");
  axelram.rejected(run + "--cache memory:novel=1,match=0.5 -o s", "memory.match is 0.5");
  axelram.rejected(run + "--cache memory:store=fp16,ber=1e-3 -o s", "use store=records");
  axelram.rejected(run + "--cache 'keys=memory;values=fp16' -o s", "write memory:... alone");
  axelram.rejected(run, "--output is required");
  axelram.rejected(run + "-o text.txt --force", "text.txt: is also an input");
  axelram.rejected(run + "-o s --json s", "named for two outputs");
  axelram.rejected(run + "--from missing -o s", "missing: no such file");
  axelram.rejected(run + "--chunk 0 -o s", "--chunk: '0'");
  axelram.rejected("prefill " + kByteLlama + " " + kReadme + " --tokens 2049 -o s",
                   "a sequence of 2049 tokens; the model takes 1..2048");
  REQUIRE(axelram(run + "-o s"));
  const std::string before = axelram.content("s");
  axelram.rejected(run + "--tokens 9 -o s", "s: exists already; give --force");
  axelram.rejected(run + "--from s -o s --force", "s: is also an input");
  axelram.rejected(run + "--from s --tokens 600 -o t --json s --force", "s: is also an input");
  CHECK_SAME(axelram.content("s"), before);
}

TEST_CASE("prefill: a state that the disk cuts off is not kept") {
  const TempDir axelram;
  for (const char* limit : {"trap '' XFSZ; ulimit -f 8;", "ulimit -f 8;"}) {
    CASE(limit);
    axelram.cut_off(prefill_of(0, 30, "--cache " + kMemory + " -o s"), limit, "s");
  }
}

TEST_CASE("complete: a state goes on as the whole text does") {
  const TempDir axelram;
  put_coded(axelram);
  const std::string text = content(kReadme).substr(0, 70);
  const std::string complete = "complete " + kByteLlama + " --tokens 24 ";
  for (const std::string& memory : kMemories) {
    CASE(memory);
    const std::string cache = "--cache " + memory;
    const std::string whole =
        axelram.output(complete + cache + " --json w.json --force --prompt " + quoted(text));
    const Json json = axelram.json("w.json");
    CHECK(json["ids"].size() == 24);
    CHECK(json["prompt_tokens"] == 70);
    for (const int n : {20, 24, 55, 70}) {
      CASE(n);
      const std::string state = state_of(axelram, prefill_of(0, n, cache));
      const std::string rest = text.substr(static_cast<std::size_t>(n));
      const std::string ask =
          complete + cache + " --from state" + (rest.empty() ? "" : " --prompt " + quoted(rest));
      // The same state answers any number of times.
      for (const std::string threads : {" --threads 1", " --threads 2"}) {
        CASE(threads);
        const std::string printed = axelram.output(ask + threads + " --json c.json --force");
        CHECK(text.substr(0, static_cast<std::size_t>(n)) + printed == whole);
        CHECK(axelram.json("c.json")["ids"] == json["ids"]);
        CHECK(axelram.json("c.json")["tokens_before"] == n);
        CHECK_SAME(axelram.content("state"), state);
      }
    }
  }
}

TEST_CASE("complete: a text is what its own ids give, one after the other") {
  const TempDir axelram;
  const std::string complete = "complete " + kByteLlama + " --cache " + kMemory;
  const ProcessResult all = axelram(complete + " --prompt 'The ' --tokens 12");
  REQUIRE(all);
  for (const std::size_t n : {1U, 5U}) {
    CASE(n);
    const ProcessResult some = axelram(complete + " --tokens " + std::to_string(12 - n) +
                                       " --prompt " + quoted(all.out.substr(0, 4 + n)));
    CHECK(some.out == all.out);
  }
  // A memory in floats has no state file, and completes all the same.
  CHECK(axelram("complete " + kByteLlama + " --cache memory:store=f32 --prompt a --tokens 3"));
}

TEST_CASE("complete: what it does not take, one line") {
  const TempDir axelram;
  const std::string complete = "complete " + kByteLlama + " ";
  const std::string none = "there is no token to go on from; give --prompt, or --from a state";
  axelram.rejected(complete + "--tokens 2", none);
  axelram.rejected(complete + "--prompt '' --tokens 2", none);
  axelram.rejected(complete + "--prompt a", "--tokens is required");
  axelram.rejected(complete + "--prompt a --tokens 0", "--tokens: '0'");
  axelram.rejected(complete + "--prompt a --tokens 2 --bos", "--bos: the tokenizer defines no BOS");
  axelram.rejected(complete + "--from s --tokens 2 --bos",
                   "--bos begins a text, and --from goes on with one");
  axelram.rejected(complete + "--prompt a --tokens 2 --cache int4", "keeps all tokens");
  // 'a' is 97, and this model has 96 ids.
  axelram.rejected("complete " + kTinyLlama + " --tokenizer byte --prompt a --tokens 2",
                   "--prompt: id 97 is beyond the model's vocabulary");
  axelram.rejected(complete + "--prompt a --tokens 2049",
                   "--tokens 2049 behind 1; the model takes 2048");
  REQUIRE(axelram(prefill_of(0, 2040, "--cache " + kMemory + " -o s")));
  const std::string from_s = complete + "--from s --cache " + kMemory + " ";
  axelram.rejected(from_s + "--tokens 10", "--tokens 10 behind 2040");
  axelram.rejected(from_s + "--prompt 'eight is' --tokens 2",
                   "--tokens 2 behind 2048; the model takes 2048");
  axelram.rejected(from_s + "--tokens 2 --json s --force", "s: is also an input");
  // The last id that follows is not read.
  CHECK(axelram(from_s + "--tokens 9"));
  CHECK(axelram(from_s + "--prompt 'eight is' --tokens 1"));
}

TEST_CASE("byte-coda-d128 has a memory of its own") {
  const TempDir axelram;
  axelram.put_text();
  const std::string model = kSource + "/models/byte-coda-d128";
  const std::string printed = axelram.output("prefill " + model + " text.txt --tokens 300 -o s");
  CHECK(contains(printed, "192 slots a layer and KV head"));
  const std::string state = axelram.output("state s");
  CHECK(contains(state, "window 128, exact 32, summary 32"));
}

TEST_CASE("recall-d64 recalls a pair from its memory, and not from a window of as many slots") {
  const TempDir axelram;
  std::string text = "#qa=wp;";
  for (unsigned i = 0, x = 7; i < 700; ++i) {
    x = (x * 1103 + 12345) % 65536;
    text += static_cast<char>('a' + x * 26 / 65536);
  }
  axelram.put("text", text);
  const std::string model = kSource + "/models/recall-d64";
  const auto answer = [&](const std::string& cache) {
    REQUIRE(axelram("prefill " + model + " text -o s --force" + cache));
    return axelram("complete " + model + " --from s --prompt '?qa=' --tokens 2" + cache).out;
  };
  CHECK(contains(answer(""), "?qa=wp\n"));
  CHECK_FALSE(contains(answer(" --cache memory:window=192,exact=0,summary=0"), "?qa=wp"));
}
