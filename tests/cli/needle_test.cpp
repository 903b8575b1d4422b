#include <algorithm>
#include <cstdio>

#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "needs.hpp"
#include "program.hpp"

using namespace test;

namespace {

const std::string kNeedleModel = AXELRAM_SOURCE "/models/byte-llama-d128";
const std::string kHaystack = AXELRAM_SOURCE "/docs/reference/bit-contract.md";

}  // namespace

TEST_CASE("needle: every length and depth with every cache, fp16 first") {
  const TempDir axelram;
  const std::string printed =
      axelram.output("needle " + kNeedleModel + " " + kHaystack +
                     " --lengths 128,150 --depths 0,40,100 --trials 2 --cache int4 --cache "
                     "'keys=turboquant:bits=2;values=fp16' --json j");
  CHECK(contains(printed, "\n128 tokens"));
  CHECK(contains(printed, "\n150 tokens"));
  CHECK(contains(printed, "depth 40 %"));
  const Json json = axelram.json("j");
  REQUIRE(json["caches"].size() == 3);
  CHECK(json["caches"][0]["cache"] == "fp16");
  CHECK(json["caches"][2]["cache"] == "keys=turboquant:bits=2;values=fp16");
  // Ids are bytes: the haystack has what fact, question and answer leave.
  const auto bytes = [&](const char* name) { return json[name].get<std::string>().size(); };
  const std::size_t own = bytes("fact") + bytes("question") + bytes("answer");
  CHECK(json["answer"].get<std::string>().size() == 5);
  for (const Json& cache : json["caches"]) {
    CASE(cache);
    REQUIRE(cache["cells"].size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
      CASE(i);
      const Json& cell = cache["cells"][i];
      const std::size_t length = i < 3 ? 128 : 150, depth = std::array{0, 40, 100}[i % 3];
      CHECK(cell["length"] == length);
      CHECK(cell["depth"] == depth);
      CHECK(std::abs(cell["position"].get<double>() -
                     static_cast<double>(depth) / 100 * static_cast<double>(length - own)) <= 0.5);
      CHECK(cell["nll"].get<double>() > 0);
    }
  }
  CHECK(json["caches"][0]["cells"][0]["nll"] != json["caches"][1]["cells"][0]["nll"]);
  // Another seed has other facts.
  REQUIRE(axelram("needle " + kNeedleModel + " " + kHaystack +
                  " --lengths 128 --trials 1 --cache fp16 --seed 2 --json k"));
  CHECK(axelram.json("k")["answer"] != json["answer"]);
}

TEST_CASE("needle: every task plants what its answer repeats, and --texts has all ids") {
  for (const char* task : {"fact", "copy", "sum"}) {
    CASE(task);
    const TempDir axelram;
    REQUIRE(axelram("needle " + kNeedleModel + " " + kHaystack +
                    " --lengths 250,256 --depths 0,100 --trials 2 --cache int4 --json j --texts t "
                    "--task " +
                    task));
    const Json json = axelram.json("j");
    CHECK(json["task"] == task);
    const auto fact = json["fact"].get<std::string>(), answer = json["answer"].get<std::string>();
    const auto question = json["question"].get<std::string>();
    if (std::string(task) == "sum") {
      int a = 0, b = 0, sum = 0;
      REQUIRE(std::sscanf(answer.c_str(), " %d + %d = %d", &a, &b, &sum) == 3);
      CHECK(sum == a + b);
      CHECK(contains(fact, " has " + std::to_string(a) + " boats"));
      CHECK(contains(fact, " has " + std::to_string(b) + " boats"));
      CHECK_FALSE(contains(question, answer));
    } else {
      CHECK(fact == question + answer + ".\n");
      CHECK(std::ranges::count(answer, '_') == (std::string(task) == "copy" ? 11 : 0));
    }
    const auto file = axelram::files::Safetensors::read(axelram.at("t"));
    const auto tokens = file.at("tokens").values<std::int32_t>();
    const auto lengths = file.at("lengths").values<std::int32_t>();
    const auto answers = file.at("answers").values<std::int32_t>();
    CHECK_SAME(file.at("tokens").shape, axelram::files::Shape{8, 256});
    CHECK_SAME(lengths, std::vector<std::int32_t>{250, 250, 250, 250, 256, 256, 256, 256});
    // Ids are bytes. Text 0 is the first trial at depth 0, text 6 at depth 100.
    for (const std::size_t text : {0U, 6U}) {
      CASE(text);
      std::string bytes;
      for (std::size_t i = 0; i < static_cast<std::size_t>(lengths[text]); ++i)
        bytes.push_back(static_cast<char>(tokens[256 * text + i]));
      CHECK(static_cast<std::size_t>(answers[text]) == answer.size());
      CHECK(bytes.ends_with(question + answer));
      CHECK(bytes.find(fact) == (text == 0 ? 0 : 256 - (fact + question + answer).size()));
    }
    CHECK(tokens[250] == -1);
  }
}

TEST_CASE("needle: what it rejects, and its example") {
  const TempDir axelram;
  const std::string needle = "needle " + kNeedleModel + " " + kHaystack + " --cache fp16 ";
  axelram.rejected(needle + "--lengths 60", "a text of 60 tokens has no place for a fact");
  axelram.rejected(needle + "--lengths 100000", "--lengths: 100000; the model takes ");
  axelram.rejected(needle + "--depths 101", "--depths");
  axelram.rejected(needle + "--lengths 10,x", "--lengths");
  axelram.rejected(needle + "--task count", "--task");
  axelram.rejected(needle + "--texts " + kHaystack, "is also an input");
  axelram.put("short", "a few words");
  axelram.rejected("needle " + kNeedleModel + " short --cache fp16",
                   "short: it has 11 tokens; a haystack for 512 needs as many");
  axelram.rejected("needle " + kNeedleModel + " ids.safetensors --cache fp16",
                   "ids; a haystack is a text");
  std::string help = axelram.output("needle --help");
  const std::size_t broken = help.find("\\\n");
  REQUIRE(broken != std::string::npos);
  help.erase(broken, 2);
  axelram.check_example(help, "needle models/");
}

TEST_CASE("needle: SmolLM2 finds the fact at every depth with FP16 keys" * needs_smollm2) {
  const TempDir axelram;
  REQUIRE(axelram("needle " + pretrained("smollm2-135m") + " " + kHaystack +
                  " --lengths 256 --depths 0,50,100 --trials 4 --json j --cache "
                  "'keys=turboquant:bits=1;values=fp16'"));
  const Json json = axelram.json("j");
  double exact = 0, coarse = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    CASE(i);
    CHECK(json["caches"][0]["cells"][i]["found"].get<int>() >= 3);
    exact += json["caches"][0]["cells"][i]["nll"].get<double>();
    coarse += json["caches"][1]["cells"][i]["nll"].get<double>();
  }
  CHECK(coarse > exact + 3);
}
