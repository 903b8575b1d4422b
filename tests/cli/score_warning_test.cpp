#include <algorithm>

#include "cli/program.hpp"
#include "model/drawn_model.hpp"

using namespace test;

namespace {

TEST_CASE("perplexity, needle, prefill and complete warn of a cache that a model does not bear") {
  const TempDir axelram;
  axelram.put_text();
  DrawnModel{"qwen2", {}, 1, 120}.write(axelram.at("m"));
  axelram.put("plain.yaml", "macro: {head_dim: 32, index_bits: 3, max_keys: 128}\n");
  axelram.put("four.yaml", "macro: {head_dim: 32, index_bits: 4, max_keys: 128}\n");
  const std::string run = " m text.txt --cache fp16 --cache axelram:config=plain.yaml ";
  const auto warns = [&](const ProcessResult& done) {
    CASE(done);
    CHECK(done.code == 0);
    CHECK(contains(done.err, "axelram: cache 'axelram:config=plain.yaml': scores of layer "));
    CHECK(contains(done.err,
                   " nats (a model fails at 2); find a cache that this model bears: "
                   "axelram tune m text.txt -o DIR\n"));
  };
  warns(axelram("perplexity" + run + "--window 40 --tokens 120"));
  warns(axelram("needle" + run + "--lengths 100 --depths 50 --trials 1"));
  // Memories of records, of whatever size; with FP16 there is nothing to say.
  for (const std::string store : {"records", "fp16"}) {
    const std::string memory =
        "--cache memory:window=16,exact=8,sinks=4,config=plain.yaml,store=" + store;
    const ProcessResult filled =
        axelram("prefill m text.txt --tokens 100 --force -o state " + memory);
    const ProcessResult told = axelram(
        "complete m --prompt 'What is written once is read many times.' --tokens 2 " + memory);
    CHECK_AT(store, filled.code == 0);
    CHECK_AT(store, told.code == 0);
    const bool fails = store == "records";
    CHECK_AT(store, contains(filled.err, "axelram tune m text.txt -o DIR") == fails);
    CHECK_AT(store, contains(told.err, "axelram tune m TEXT -o DIR") == fails);
  }
  // A line for each cache, whatever its seeds and bit errors are.
  const ProcessResult two = axelram(
      "perplexity m text.txt --cache axelram:config=plain.yaml,ber=0.01 "
      "--cache axelram:config=four.yaml --seeds 1,2 --window 40 --tokens 120 --no-noise");
  CHECK(std::count(two.err.begin(), two.err.end(), '\n') == 2);
  REQUIRE(axelram("tune m text.txt --window 40 -o d --part keys"));
  const std::string well = axelram(
                               "perplexity m text.txt --cache tuned:d --cache f32 --cache "
                               "memory:sinks=4 --window 40 --tokens 120")
                               .err;
  CHECK_FALSE(contains(well, "tuned:d"));
}

}  // namespace
