#include <filesystem>

#include "axelram/files/safetensors.hpp"
#include "cli/program.hpp"
#include "model/drawn_model.hpp"

using namespace test;

namespace {

namespace fs = std::filesystem;

/// A folder with a drawn model `m` and the text of TempDir::put_text, for which 16 windows of 40
/// tokens are enough.
struct TuneDir : TempDir {
  explicit TuneDir(const DrawnModel& model = {}) {
    put_text();
    model.write(at("m"));
  }
};

const std::string kTune = "tune m text.txt --window 40 -o d ";

std::map<std::string, std::string> bytes_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = content(entry.path().string());
  return files;
}

/// The candidate of this name in a recipe.
Json candidate(const Json& recipe, const std::string& name) {
  for (const Json& one : recipe["candidates"])
    if (one["name"] == name) return one;
  return {};
}

TEST_CASE("tune: writes a cache that the model takes, and says why") {
  const TuneDir axelram;
  const ProcessResult done = axelram(kTune + "--json j");
  REQUIRE(done);
  CHECK(done.err.empty());
  CHECK(contains(done.out, "windows of 40 tokens: 13 to calibrate on, 4 held out with 156"));
  CHECK(contains(done.out, "cache          tuned:d\n"));
  CHECK_FALSE(axelram.has("d.unfinished"));
  CHECK_SAME(axelram.content("j"), axelram.content("d/recipe.json"));

  const Json recipe = axelram.json("d/recipe.json");
  const Json chosen = candidate(recipe, recipe["chosen"]);
  CHECK(chosen["chosen"] == true);
  CHECK(chosen["rejected"].is_null());
  CHECK(chosen["key_bits"] == 3);
  CHECK(chosen["value_bits"] == 3);
  CHECK(recipe["heads"].size() == 2);
  CHECK(recipe["cache"].get<std::string>() + "\n" == axelram.content("d/cache"));
  for (const Json& one : recipe["candidates"]) {
    CASE(one["name"].get<std::string>());
    if (one["key_bits"] == 3 && one["value_bits"] == 3)
      CHECK(one["scores"]["kl"].get<double>() >= chosen["scores"]["kl"].get<double>());
    CHECK(contains(axelram.content("d/report.md"), one["name"].get<std::string>()));
  }
  for (const char* part : {"## What was chosen", "## What was measured",
                           "## What each part does to this model", "## Cost by layer", "## Files",
                           "would cost this model", "SHA-256 of its tensors and configuration"})
    CHECK_AT(part, contains(axelram.content("d/report.md"), part));

  // Nothing is calibrated on what is measured.
  CHECK_SAME(recipe["text"]["held_out"].get<std::vector<int>>(), std::vector{13, 14, 15, 16});
  for (const Json& number : recipe["text"]["calibration"]) CHECK_AT(number, number < 13);
  CHECK(recipe["text"]["calibration_part"] == 13);
  axelram.put("first.txt", axelram.content("text.txt").substr(0, std::size_t{13} * 40));
  REQUIRE(axelram("calibrate m first.txt --samples 13 --window 40 --candidates 1 -o s --center c"));
  const auto center = [&](const std::string& name) {
    const auto file = axelram::files::Safetensors::read(axelram.at(name));
    return file.at("center").values<std::uint16_t>();
  };
  CHECK_SAME(center("d/center.safetensors"), center("c"));

  // The cache is that of its candidate, by the same windows: the last quarter of the text.
  const std::string skip = std::to_string(40 * recipe["text"]["held_out"][0].get<int>());
  REQUIRE(
      axelram("perplexity m text.txt --cache tuned:d --window 40 --separate --no-noise --skip " +
              skip + " --tokens 160 --json p"));
  const Json measured = axelram.json("p");
  CHECK(measured["cache"] == "tuned:d");
  CHECK(measured["cache_bytes_per_token"] == chosen["bytes"]["token"]);
  CHECK(measured["kl"].get<double>() ==
        doctest::Approx(chosen["scores"]["kl"].get<double>()).epsilon(1e-9));
  CHECK(axelram("needle m text.txt --lengths 80 --depths 50 --trials 1 --cache tuned:d"));
}

TEST_CASE("tune: models of every kind") {
  struct Case {
    const char* what;
    DrawnModel model;
  };
  const std::vector<Case> cases = {{"windows", {"mistral", {{"sliding_window", 16}}}},
                                   {"norms of queries and keys", {"qwen3"}},
                                   {"biases", {"qwen2"}}};
  for (const Case& one : cases) {
    CASE(one.what);
    const TuneDir axelram(one.model);
    REQUIRE(axelram(kTune));
    CHECK(axelram("perplexity m text.txt --cache tuned:d --window 40 --tokens 160 --no-noise"));
  }
  const TuneDir axelram;
  write_llama2c(axelram.at("c.bin"));
  REQUIRE(axelram("tune c.bin text.txt --tokenizer byte --window 40 -o c"));
  CHECK(
      axelram("perplexity c.bin text.txt --tokenizer byte --cache tuned:c --no-noise --tokens 99"));
  // Heads of 256, with windows and norms of queries and keys.
  const std::string gemma = kSource + "/tests/model/transformer/reference/gemma3-d256";
  REQUIRE(axelram("tune " + gemma + " " + gemma + "/expected.safetensors --window 6 -o g"));
  CHECK(axelram.json("g/recipe.json")["model"]["head_dim"] == 256);
  CHECK(axelram("perplexity " + gemma + " " + gemma +
                "/expected.safetensors --cache tuned:g --no-noise"));
}

TEST_CASE("tune: a model that needs nothing keeps the paper's macro") {
  const TuneDir axelram({"llama", {}, 1e-3F});
  const std::string out = axelram.output(kTune);
  CHECK(contains(out, "it needs no recipe: the paper's macro changes it by"));
  const Json recipe = axelram.json("d/recipe.json");
  CHECK(recipe["needs_nothing"] == true);
  CHECK(recipe["chosen"] == "keys-3-plain values-3-plain");
  CHECK(recipe["plain"] == recipe["chosen"]);
  CHECK(contains(axelram.content("d/report.md"), "**This model needs no recipe.**"));
  CHECK_SAME(bytes_of(axelram.at("d")).size(), std::size_t{5});
}

TEST_CASE("tune: keys whose bias lies in a fast pair are balanced") {
  const TuneDir axelram({"qwen2", {}, 1, 120});
  const std::string out = axelram.output(kTune + "--part keys");
  CHECK(contains(out, "balanced       2 of 2 KV heads"));
  CHECK(contains(out, "the model fails"));
  const Json recipe = axelram.json("d/recipe.json");
  CHECK(contains(recipe["chosen"].get<std::string>(), "balance"));
  CHECK((axelram.has("d/balance.safetensors") || axelram.has("d/balance-whole.safetensors")));
  const double chosen = candidate(recipe, recipe["chosen"])["scores"]["kl"].get<double>();
  for (const char* name : {"keys-3-plain", "keys-3-center-feedback", "keys-3-positions-full"})
    CHECK_AT(name, candidate(recipe, name)["scores"]["kl"].get<double>() > 3 * chosen);
  for (const Json& head : recipe["heads"]) {
    CASE(head["layer"]);
    CHECK(head["balanced"] == true);
    CHECK(head["gain"].get<double>() < 0.25);
    CHECK(head["plain_noise"].get<double>() > 5 * head["noise"].get<double>());
  }
  CHECK(axelram("perplexity m text.txt --cache tuned:d --window 40 --tokens 160 --no-noise"));
}

TEST_CASE("tune: values alone have no heads to look at") {
  const TuneDir axelram;
  REQUIRE(axelram(kTune + "--part values --bits 2"));
  const Json recipe = axelram.json("d/recipe.json");
  CHECK(recipe["heads"].empty());
  CHECK(contains(axelram.content("d/cache"), "keys=fp16;values=axelram:config=values-2-"));
  CHECK_FALSE(contains(axelram.content("d/report.md"), "Cost by layer"));
}

TEST_CASE("tune: threads change nothing, and the seed is that of the signs") {
  const TuneDir axelram;
  REQUIRE(axelram(kTune + "--threads 1"));
  REQUIRE(axelram("tune m text.txt --window 40 -o e --threads 3"));
  CHECK_SAME(bytes_of(axelram.at("e")), bytes_of(axelram.at("d")));
  REQUIRE(axelram("tune m text.txt --window 40 -o f/g/ --seed 7"));
  CHECK_DIFFERENT(axelram.content("f/g/recipe.json"), axelram.content("d/recipe.json"));
  CHECK(contains(axelram.content("f/g/keys-3-plain.yaml"), "seed: 7"));
}

TEST_CASE("tune: --bytes takes the best that fits") {
  const TuneDir axelram;
  const auto widths = [&](const std::string& options) {
    REQUIRE(axelram(kTune + "--force " + options));
    const Json recipe = axelram.json("d/recipe.json");
    const Json chosen = candidate(recipe, recipe["chosen"]);
    return std::pair{chosen["key_bits"].get<int>(), chosen["value_bits"].get<int>()};
  };
  // A record has 4 bytes for each bit of 32 elements, and 2 of a norm; two layers.
  CHECK_SAME(widths("--bytes 1000"), std::pair{4, 4});
  CHECK_SAME(widths("--bytes 72"), std::pair{4, 4});
  CHECK_SAME(widths("--bytes 40"), std::pair{2, 2});
  const auto [keys, values] = widths("--bytes 56");
  CHECK(keys + values == 6);
  CHECK_SAME(widths("--bytes 160 --part keys"), std::pair{3, 0});
  CHECK_SAME(widths("--bytes 72 --bits 3"), std::pair{3, 3});
  axelram.rejected(kTune + "--force --bytes 39",
                   "--bytes 39: the least is 40 bytes a token, keys of 2 bits and values of 2");
  axelram.rejected(kTune + "--force --bytes 55 --bits 3", "take 56 bytes a token");
}

TEST_CASE("tune: a cache is of one model") {
  const TuneDir axelram;
  REQUIRE(axelram(kTune + "--part values"));
  DrawnModel{"qwen3"}.write(axelram.at("other"));
  const std::string says = "was made for the model m (digest ";
  axelram.rejected("perplexity other text.txt --window 40 --cache tuned:d", says);
  axelram.rejected("needle other text.txt --lengths 80 --cache tuned:d", says);
  // The same tensors, rotated faster: centers and feedback are of other angles.
  fs::copy(axelram.at("m"), axelram.at("faster"));
  Json config = axelram.json("m/config.json");
  config["rope_theta"] = 77;
  axelram.put("faster/config.json", config.dump());
  axelram.rejected("perplexity faster text.txt --window 40 --cache tuned:d", says);
  axelram.rejected("perplexity m text.txt --cache tuned:m", "m/recipe.json");
  axelram.rejected("perplexity m text.txt --cache tuned:none", "none is no folder");
}

TEST_CASE("tune: what is wrong is told before the model runs") {
  const TuneDir axelram;
  const std::string tune = "tune m text.txt --window 40 ";
  axelram.rejected(tune, "--output is required");
  axelram.rejected(tune + "-o ''", "--output");
  axelram.rejected("tune none text.txt -o d", "none");
  axelram.rejected("tune m none -o d", "none");
  axelram.rejected("tune text.txt m -o d", "text.txt");
  axelram.rejected(tune + "-o d --bits 5", "--bits");
  axelram.rejected(tune + "-o d --part heads", "give keys, values or both");
  axelram.rejected(tune + "-o d --bytes 0", "--bytes");
  axelram.rejected(tune + "-o d --samples 99", "--samples 99: the first part of the text has 13");
  axelram.rejected(tune + "-o d --windows 5", "--windows 5: the last quarter of the text has 4");
  axelram.rejected("tune m text.txt -o d --window 1", "--window 1: predicts nothing");
  axelram.rejected("tune m text.txt -o d --window 129", "the model takes 1..128 tokens");
  axelram.rejected("tune m text.txt -o d --skip 600 --window 40",
                   "84 tokens, 2 whole windows of 40; tune needs 4");
  axelram.rejected(tune + "-o text.txt", "is also an input");
  axelram.rejected(tune + "-o m", "is also an input");
  axelram.rejected(tune + "-o small.yaml", "small.yaml: is not a directory");
  axelram.rejected(tune + "-o d --json d", "named for two outputs");
  axelram.rejected(tune + "-o d --json none/j", "none/j");
  fs::create_directories(axelram.at("empty"));
  axelram.rejected(tune + "-o empty --json empty/j", "--json empty/j: lies in -o empty, which is");
  axelram.rejected(tune + "-o d --engine fast", "--engine");
  const std::string narrow = kSource + "/tests/model/transformer/reference/qwen3";
  axelram.rejected("tune " + narrow + " " + narrow + "/expected.safetensors --window 6 -o d",
                   "the model's heads have 16 elements; the macro takes 32, 64, 128 or 256");
  axelram.put("d.unfinished", "");
  axelram.rejected(tune + "-o d", "d.unfinished: is no folder");
  axelram.rejected(tune + "-o d/", "d.unfinished: is no folder");
}

TEST_CASE("tune: folders that it did not write stay") {
  const TuneDir axelram;
  fs::create_directories(axelram.at("d"));
  REQUIRE(axelram(kTune + "--part values"));  // an empty folder is taken
  const auto before = bytes_of(axelram.at("d"));
  axelram.rejected(kTune + "--part values", "d: is not empty");
  REQUIRE(axelram(kTune + "--part values --bits 2 --force"));
  CHECK_DIFFERENT(bytes_of(axelram.at("d")), before);
  CHECK_FALSE(axelram.has("d/values-3-plain.yaml"));
  axelram.put("d/notes", "mine");
  axelram.rejected(kTune + "--force", "d: holds 'notes', which tune did not write");

  fs::create_directories(axelram.at("e.unfinished"));
  const std::string other = "tune m text.txt --window 40 -o e ";
  axelram.put("e.unfinished/notes", "mine");
  axelram.rejected(other, "e.unfinished: holds 'notes', which tune did not write");
  fs::remove(axelram.at("e.unfinished/notes"));
  axelram.put("e.unfinished/plan.json", R"({"axelram_tune_plan": 1, "--bits": 4})");
  axelram.rejected(other, "e.unfinished: left by a run that differs: ");
  axelram.put("e.unfinished/plan.json", "{");
  axelram.rejected(other, "e.unfinished: has no plan of tune; give the same arguments");
  CHECK(axelram(other + "--force --part values"));
  CHECK_FALSE(axelram.has("e.unfinished"));
}

TEST_CASE("tune: the folder of '.' and of a link is written itself") {
  const TuneDir axelram;
  for (const char* folder : {"here", "there"}) fs::create_directories(axelram.at(folder));
  fs::create_directory_symlink("there", axelram.at("link"));
  const std::string rest = " --window 40 --part values ";
  axelram.put("here.sh",
              "cd here && " + quoted(AXELRAM_PROGRAM) + " tune ../m ../text.txt -o ." + rest);
  CHECK(axelram.run("sh", "here.sh").code == 0);
  CHECK(axelram("tune m text.txt -o link/" + rest));
  CHECK(axelram.has("here/cache"));
  CHECK(axelram.has("there/cache"));
  CHECK(fs::is_symlink(axelram.at("link")));
}

TEST_CASE("tune: what somebody wrote meanwhile stays") {
  const TuneDir axelram;
  axelram.put("both.sh", quoted(AXELRAM_PROGRAM) + " tune m text.txt --window 40 -o e 2>error &\n" +
                             "while [ ! -e e.unfinished/plan.json ]; do :; done\n"
                             "mkdir e\necho mine >e/notes\nwait $!\n");
  CHECK(axelram.run("sh", "both.sh").code == 2);
  CHECK(axelram.content("e/notes") == "mine\n");
  CHECK(contains(axelram.content("error"), "e: is not empty"));
  CHECK(axelram.has("e.unfinished/calibration.done.json"));
  fs::remove_all(axelram.at("e"));
  CHECK(axelram("tune m text.txt --window 40 -o e"));
  CHECK(axelram.has("e/cache"));
}

TEST_CASE("tune: a run that was killed goes on to the same bytes") {
  const TuneDir axelram;
  REQUIRE(axelram(kTune));
  axelram.put("kill.sh", quoted(AXELRAM_PROGRAM) + " tune m text.txt --window 40 -o e &\n" +
                             "while [ ! -e e.unfinished/calibration.done.json ] && [ ! -e e ]; do "
                             ":; done\nkill -9 $!\nwait\ntest ! -e e\n");
  axelram.run("sh", "kill.sh");
  if (!axelram.has("e")) REQUIRE(axelram("tune m text.txt --window 40 -o e"));
  CHECK_SAME(bytes_of(axelram.at("e")), bytes_of(axelram.at("d")));
  CHECK_FALSE(axelram.has("e.unfinished"));
}

TEST_CASE("tune: the example of its help") {
  const TempDir axelram;
  axelram.check_example(axelram.output("tune --help"), "tune");
}

}  // namespace
