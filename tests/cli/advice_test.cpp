// Defaults are what the help says, and what a message advises helps.
#include <string>

#include "cli/perplexity_run.hpp"

using namespace test;

namespace {

/// A model whose keys FP16 cannot represent, in the folder `large`.
void put_large_keys(const TempDir& axelram) {
  REQUIRE(axelram("stress " + kByteLlama + " -o large --layers all --gain 65536"));
}

}  // namespace

TEST_CASE("perplexity: the stride is half a window if --window is given alone") {
  const TempDir axelram;
  axelram.put_text();
  const auto nll = [&](const std::string& arguments) {
    REQUIRE(axelram(kTextRun + "--cache int4 --no-noise --tokens 400 --json j --nll n --force " +
                    arguments));
    return nll_of(axelram, "n");
  };
  for (const auto& [window, stride] :
       {std::pair{"64", 32}, {"255", 127}, {"256", 128}, {"3", 1}, {"2", 1}}) {
    CASE(window);
    const std::string given = std::string("--window ") + window;
    const auto alone = nll(given);
    CHECK(axelram.json("j")["stride"] == stride);
    CHECK_SAME(alone, nll(given + " --stride " + std::to_string(stride)));
  }
  nll("");
  CHECK(axelram.json("j")["window"] == 256);
  CHECK(axelram.json("j")["stride"] == 128);
  CHECK(contains(axelram.output("perplexity --help"), "(default half a window)"));
  axelram.rejected(kTextRun + "--cache int4 --separate --stride 4", "excludes");
}

TEST_CASE("keys beyond FP16: the message names the option that helps, and it does") {
  const TempDir axelram;
  axelram.put_text();
  put_large_keys(axelram);
  const std::string perplexity = "perplexity large text.txt --no-noise --tokens 100 --cache ";
  const std::string needle =
      "needle large " + kSource + "/LICENSE --lengths 128 --trials 1 --cache ";
  const std::string baseline = "the baseline fp16 holds numbers up to 65504: give --baseline f32\n";
  for (const std::string& command : {perplexity, needle})
    for (const char* cache : {"f32", "int4", "fp16"}) {
      CASE(command, cache);
      axelram.rejected(command + cache, baseline);
      const bool half = std::string(cache) == "fp16";
      if (half)
        axelram.rejected(command + cache + " --baseline f32", "65504; use the cache f32\n");
      else
        CHECK(axelram(command + cache + " --baseline f32"));
    }
  CHECK(axelram(perplexity + "f32 --baseline f32 --cache int4 --scores"));
  // A cache that holds fewer numbers than the baseline speaks of itself.
  const std::string small = perplexity + "axelram:config=small.yaml --baseline f32";
  axelram.rejected(small, "macro.max_keys is 64: give --window 64\n");
  axelram.rejected(small + " --window 64", "head_dim");
  const std::string macro = "axelram:config=paper-d128-b3 --baseline f32";
  axelram.rejected(perplexity + macro, "use a configuration with element_format: bf16\n");
  CHECK(axelram(perplexity + "axelram:config=d128-b3-bf16 --baseline f32"));
  axelram.rejected(perplexity + "f32 --baseline fp8", "--baseline");

  const ProcessResult emulated = axelram.emulated(perplexity + "fp16 --engine cuda");
  CHECK(emulated.code == 2);
  CHECK(contains(emulated.err, "give --baseline f32 and --engine fast\n"));
}

TEST_CASE("perplexity: the window that a message names is one that can be given") {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = kTextRun + "--no-noise --tokens 200 --cache axelram:config=";
  const auto put_keys = [&](int keys) {
    axelram.put("keys.yaml", "macro: {head_dim: 128, max_keys: " + std::to_string(keys) + "}\n");
  };
  const auto advised = [&](const std::string& options) {
    const ProcessResult done = axelram(run + "keys.yaml " + options);
    CHECK(done.code == 2);
    const std::string give = ": give ";
    const std::size_t at = done.err.find(give);
    REQUIRE(at != std::string::npos);
    return done.err.substr(at + give.size());
  };
  put_keys(64);
  CHECK(advised("") == "--window 64\n");
  CHECK(advised("--stride 63") == "--window 64\n");
  CHECK(advised("--window 200 --stride 64") == "--window 64 --stride 32\n");
  CHECK(advised("--stride 100") == "--window 64 --stride 32\n");
  CHECK(axelram(run + "keys.yaml --window 64 --stride 32"));
  // Windows of a text are no rows of ids.
  CHECK(advised("--separate --window 100") == "--window 64\n");
  CHECK(axelram(run + "keys.yaml --separate --window 64"));
  axelram.rejected(run + "keys.yaml --separate --window 201", "give --window 64\n");
  axelram.put("short.txt", "What is written once.\n");
  axelram.rejected("perplexity " + kByteLlama +
                       " short.txt --cache axelram:config=keys.yaml --separate --window 201",
                   "22 tokens fill no window of 201; name a shorter --window\n");
  put_keys(2);
  CHECK(advised("--stride 2") == "--window 2 --stride 1\n");
  CHECK(axelram(run + "keys.yaml --window 2 --stride 1"));
  put_keys(1);
  axelram.rejected(run + "keys.yaml",
                   "macro.max_keys is 1: a window has 2 tokens or more; give a configuration with "
                   "more keys\n");
  // The advice names the lower of two limits.
  put_keys(64);
  axelram.rejected("perplexity " + kByteLlama + " " + kSource +
                       "/LICENSE --window 3000 --cache axelram:config=keys.yaml",
                   "macro.max_keys is 64: give --window 64\n");
}

TEST_CASE("needle: FP32 is its baseline if it is asked for") {
  const TempDir axelram;
  const std::string needle = "needle " + kByteLlama + " " + kSource +
                             "/LICENSE --lengths 128 --trials 1 --cache int4 --json j --force ";
  for (const std::string name : {"fp16", "f32"}) {
    CASE(name);
    CHECK(axelram(needle + "--baseline " + name));
    CHECK(axelram.json("j")["caches"][0]["cache"] == name);
  }
}

TEST_CASE("a model without a tokenizer and with more than bytes: the message names --tokenizer") {
  const TempDir axelram;
  axelram.put_text();
  axelram.rejected("perplexity " + kTinyLlama + " text.txt --cache int4",
                   "no tokenizer lies in it and its vocabulary is 96; name one with --tokenizer: ");
}

TEST_CASE("a reader that leaves early ends the program in silence") {
  const TempDir axelram;
  // A pipe that is open for writing alone.
  const std::string pipe =
      "cd " + quoted(axelram.path()) + " && mkfifo pipe && exec 3<>pipe 4>pipe 3<&- && ";
  for (const std::string command :
       {"report small.yaml", "list codes", "--help", "list --help", "--version",
        "list keys --json -", "run small.yaml trace.safetensors -o out"}) {
    CASE(command);
    const std::string line =
        pipe + quoted(AXELRAM_PROGRAM) + " " + command + " >&4 2>err; code=$?; rm pipe; exit $code";
    CHECK(WEXITSTATUS(std::system(("bash -c " + quoted(line)).c_str())) == 141);
    CHECK(axelram.content("err").empty());
  }
  CHECK(axelram.has("out"));  // a file does not depend on who reads the figures
  const std::string line =
      pipe + quoted(AXELRAM_PROGRAM) + " report none.yaml >&4 2>err; code=$?; rm pipe; exit $code";
  CHECK(WEXITSTATUS(std::system(("bash -c " + quoted(line)).c_str())) == 2);
  CHECK(contains(axelram.content("err"), "none.yaml"));
}
