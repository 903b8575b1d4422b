#include <utility>

#include "cli/memory_run.hpp"

using namespace axelram;
using namespace test;

namespace {

/// Commands that read `state`, each with an output; the first four hold it against a model.
std::vector<std::string> readers_of(const std::string& state) {
  const std::string from = " --force --cache " + kMemory + " --from " + state;
  return {
      "complete " + kByteLlama + " --tokens 2 --json out" + from, prefill_of(0, 9, "-o out") + from,
      "perplexity " + kByteLlama + " " + kReadme + " --tokens 20 --nll out --json p.json" + from,
      "state " + state + " --json out --force --model " + kByteLlama + " --cache " + kMemory,
      "state " + state + " --json out --force"};
}

}  // namespace

TEST_CASE("state: what it prints, by layer and head") {
  const TempDir axelram;
  state_of(axelram, prefill_of(0, 20, "--cache " + kMemory));
  const std::string few = axelram.output("state state --json few.json");
  CHECK(contains(few, "digest and all slots hold; model and memory were not compared"));
  state_of(axelram, prefill_of(0, 200, "--cache " + kMemory));
  REQUIRE(axelram("state state --json many.json"));
  const Json short_text = axelram.json("few.json"), long_text = axelram.json("many.json");
  CHECK(short_text["tokens"] == 20);
  CHECK(long_text["tokens"] == 200);
  CHECK(long_text["window"] == 24);
  CHECK(long_text["exact"] == 16);
  CHECK(long_text["summary"] == 8);
  CHECK(long_text["sinks"] == 4);
  CHECK(long_text["store"] == "records");
  CHECK(long_text["code"] == "none");
  REQUIRE(long_text["memories"].size() == 8);
  for (std::size_t place = 0; place < 8; ++place) {
    CASE(place);
    const Json& some = short_text["memories"][place];
    CHECK(some["window"] == 20);
    CHECK(some["free"] == 28);
    CHECK(some["merged"] == 0);
    const Json& all = long_text["memories"][place];
    CHECK(all["layer"] == place / 2);
    CHECK(all["head"] == place % 2);
    CHECK(all["window"] == 24);
    CHECK(all["sink"] == 4);
    CHECK(all["oldest"] == 0);
    CHECK(all["exact"] <= 12);
    CHECK(all["summary"] <= 8);
    CHECK(all["free"].get<int>() + all["exact"].get<int>() + all["summary"].get<int>() == 20);
    // With an open gate no token is dropped: each is a slot of its own or in a summary.
    CHECK(all["exact"].get<int>() + all["merged"].get<int>() == 200 - 24 - 4);
  }
  axelram.rejected("state state --json many.json", "many.json: exists already");
  axelram.rejected("state state --json state --force", "state: is also an input");
  axelram.rejected("state missing", "missing: no such file");
  // Held against a model.
  const std::string held = "state state --model " + kByteLlama;
  const std::string right = axelram.output(held + " --cache " + kMemory + " --json held.json");
  CHECK(contains(right, "digest and all slots hold; model and memory are these"));
  CHECK(axelram.json("held.json") == long_text);
  axelram.rejected(held,
                   "state: metadata memory: window=24; this memory has window=256; the file was "
                   "changed, or --cache does not name its memory");
  axelram.rejected(held + " --cache fp16", "'fp16' keeps all tokens");
  axelram.rejected("state state --model " + kTinyLlama, "state: tensor labels: shape is");
  axelram.rejected("state state --cache " + kMemory, "--cache requires --model");
  put_gated_model(axelram);
  axelram.rejected("state state --model gated --json gated/config.json --force",
                   "gated/config.json: is also an input");
  // Larger banks read it, and what the file holds is printed.
  REQUIRE(axelram(held + " --cache memory:window=24,exact=20,summary=9,sinks=4 --json grown.json"));
  CHECK(axelram.json("grown.json") == long_text);
}

TEST_CASE("a state of something else is refused by name") {
  const TempDir axelram;
  state_of(axelram, prefill_of(0, 60, "--cache " + kMemory));
  const std::string ask = " --from state --tokens 2 ";
  REQUIRE(axelram("stress " + kByteLlama + " -o model --layers all --bias 10"));
  axelram.rejected("complete model" + ask, "state: metadata model: '");
  axelram.rejected("complete " + kTinyLlama + " --tokenizer byte" + ask,
                   "state: tensor labels: shape is [4, 2, 48]");
  const auto refused = [&](const std::string& memory, const std::string& part) {
    axelram.rejected("complete " + kByteLlama + ask + "--cache " + memory,
                     "state: metadata " + part);
  };
  refused("memory:window=25,exact=16,summary=8,sinks=4", "memory: window=24; this memory has ");
  refused("memory:window=24,exact=15,summary=8,sinks=4", "memory: exact=16; this memory has ");
  refused("memory:window=24,exact=16,summary=7,sinks=4", "memory: summary=8; this memory has ");
  refused("memory:window=24,exact=16,summary=8,sinks=3", "memory: sinks=4; this memory has ");
  for (const auto& [key, part] : std::initializer_list<std::pair<std::string, std::string>>{
           {"novel=0.5", "memory: novel=44290; this memory has novel=31636"},
           {"match=1", "memory: match="},
           {"gate_exact=0.2", "memory: gate_exact=26; this memory has gate_exact=51"},
           {"gate_summary=0.2", "memory: gate_summary=13; this memory has gate_summary=51"},
           {"blend=0.5", "memory: blend=12; this memory has blend=128"},
           {"evict=lru", "memory: evict=gate; this memory has evict=lru"},
           {"store=fp16", "memory: store=records; this memory has store=fp16"},
           {"seed=9", "signs: '"},
           {"config=d128-b2", "memory: novel=44290; this memory has novel=40486"},
           {"config=coded.yaml", "numerics: code=none"}}) {
    CASE(key, part);
    axelram.put("coded.yaml", "macro: {head_dim: 128, index_bits: 3}\necc: {code: hamming84}\n");
    refused(kMemory + "," + key, part);
  }
  // A state of other signs does not go on without them.
  state_of(axelram, prefill_of(0, 60, "--cache " + kMemory + ",seed=9"));
  axelram.rejected(
      "complete " + kByteLlama + ask + "--cache " + kMemory,
      "with its signs and centers; the file was changed, or --cache does not name its");
  CHECK(axelram("complete " + kByteLlama + ask + "--cache " + kMemory + ",seed=9"));
}

TEST_CASE("a state with a flipped bit or cut short changes no output") {
  const TempDir axelram;
  const std::string right = state_of(axelram, prefill_of(0, 60, "--cache " + kMemory));
  axelram.put("out", "old");
  axelram.put("p.json", "old");
  axelram.put("bad", "");
  for (const std::string& reader : readers_of("state")) REQUIRE_AT(reader, axelram(reader));
  const auto refused = [&](const std::string& bytes, const std::string& reader) {
    axelram.put("bad", bytes);
    axelram.put("out", "old");
    axelram.put("p.json", "old");
    axelram.rejected(reader, "bad: ");
    CHECK(axelram.content("out") == "old");
    CHECK(axelram.content("p.json") == "old");
  };
  const std::string header = right.substr(0, right.find("}}") + 2);
  for (const std::string& reader : readers_of("bad")) {
    CASE(reader);
    std::string flipped = right;
    flipped[right.size() - 700] = static_cast<char>(flipped[right.size() - 700] ^ 4);
    refused(flipped, reader);
    refused(right.substr(0, right.size() - 1), reader);
    refused(right.substr(0, 100), reader);
    refused("", reader);
    refused("no safetensors file, but a text of some length", reader);
  }
  for (std::size_t at = 0; at < right.size(); at += at < header.size() ? 97 : 7001) {
    CASE(at);
    std::string flipped = right;
    flipped[at] = static_cast<char>(flipped[at] ^ 1U << at % 8);
    refused(flipped, readers_of("bad").front());
  }
  // The digest does not cover the metadata: they are held against the memory that reads, and none
  // of them is believed.
  for (const std::string key : {"novel=4429", "match=5694", "gate_exact=2", "gate_summary=1",
                                "blend=1", "evict=gat", "\"signs\":\"", "\"model\":\""}) {
    CASE(key);
    const std::size_t at = right.find(key) + key.size();
    REQUIRE(at < header.size());
    std::string flipped = right;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    for (std::size_t reader = 0; reader < 4; ++reader) {
      CASE(reader);
      refused(flipped, readers_of("bad")[reader]);
    }
  }
  for (const std::size_t length :
       {7UL, 8UL, header.size(), right.size() / 2, right.size() - 1024}) {
    CASE(length);
    refused(right.substr(0, length), readers_of("bad").back());
  }
  refused(right + "x", readers_of("bad").back());
  // Without --cache, the default memory, or that of the checkpoint itself.
  const std::string open = state_of(axelram, prefill_of(0, 60, ""));
  const std::string ask = " --from bad --tokens 2 --json out --force";
  axelram.put("bad", open);
  REQUIRE(axelram("complete " + kByteLlama + ask));
  std::string changed = open;
  changed.replace(open.find("novel=44290"), 11, "novel=44291");
  refused(changed, "complete " + kByteLlama + ask);
  refused(changed, prefill_of(0, 9, "-o out --from bad"));
  put_gated_model(axelram);
  const std::string gated =
      state_of(axelram, "prefill gated " + kReadme + " --tokens 60 --force --cache memory");
  for (const char* const key : {"gate_exact=2", "novel=4429", "evict=gat"}) {
    CASE(key);
    std::string flipped = gated;
    const std::size_t at = gated.find(key) + std::string(key).size();
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    refused(flipped, "complete gated" + ask);
  }
  // A pickle would run what it names.
  using namespace std::string_literals;
  refused("\x80\x04\x95\x1d\0\0\0\0\0\0\0\x8c\x05posix\x8c\x06system\x93\x8c\x02ls\x85R."s,
          readers_of("bad").back());
  // Another file of the same kind.
  refused(content(kByteLlama + "/model.safetensors"), readers_of("bad").back());
}

TEST_CASE("a state goes on in larger banks, and never in smaller ones") {
  const TempDir axelram;
  const std::string few = "--cache memory:window=24,exact=8,summary=8,sinks=4";
  const std::string many = "--cache memory:window=24,exact=16,summary=16,sinks=4";
  // As long as no bank is in use, the sizes that a text began with leave no trace.
  const std::string whole = state_of(axelram, prefill_of(0, 150, many));
  state_of(axelram, prefill_of(0, 24, few));
  std::filesystem::rename(axelram.at("state"), axelram.at("small"));
  CHECK(state_of(axelram, prefill_of(24, 126, "--from small " + many)) == whole);
  // Banks that are full grow.
  state_of(axelram, prefill_of(0, 100, few));
  std::filesystem::rename(axelram.at("state"), axelram.at("small"));
  CHECK(axelram("complete " + kByteLlama + " --from small --tokens 5 " + many));
  CHECK(state_of(axelram, prefill_of(100, 200, "--from small " + many)).size() == whole.size());
  REQUIRE(axelram("state state --json s.json"));
  const Json json = axelram.json("s.json");
  CHECK(json["exact"] == 16);
  CHECK(json["summary"] == 16);
  int beyond = 0;
  for (const Json& head : json["memories"])
    beyond += head["exact"].get<int>() > 4 && head["summary"].get<int>() > 8 ? 1 : 0;
  CHECK(beyond > 0);
  axelram.rejected(prefill_of(0, 9, "--from state -o t " + few),
                   "state: metadata memory: exact=16; this memory has exact=8");
  axelram.rejected(prefill_of(0, 9,
                              "--from small -o t --cache memory:window=25,exact=16,"
                              "summary=16,sinks=4"),
                   "small: metadata memory: window=24");
}
