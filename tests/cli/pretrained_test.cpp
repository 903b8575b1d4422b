#include "axelram/files/safetensors.hpp"
#include "needs.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;

using namespace test;

constexpr const char* kName = "smollm2-135m";
const std::string kCache = "XDG_CACHE_HOME=$PWD/cache";
const std::string kText = " " + kTinyLlama + "/expected.safetensors ";

/// Every command that takes a model, with its outputs.
std::vector<std::string> commands(const std::string& model) {
  return {
      "perplexity " + model + kText + "--cache fp16 --json perplexity.json --force",
      "calibrate " + model + kText + "--window 24 --samples 1 -o signs --json signs.json --force",
      "capture " + model + kText + "--layer 0 --head 0 -o captured --json captured.json --force",
      "stress " + model + " --bias 10 --layers all -o stressed --json stressed.json --force"};
}

Json row_of(const TempDir& axelram, const std::string& name) {
  for (const Json& row : Json::parse(axelram("list models --json -", kCache).out))
    if (row["name"] == name) return row;
  return {};
}

TEST_CASE("a pretrained model that is not cached: exit code 3 and the command that gets it") {
  const TempDir axelram;
  for (const std::string& command : commands(kName)) {
    CASE(command);
    const ProcessResult done = axelram(command, kCache);
    CHECK(done.code == 3);
    CHECK(done.out.empty());
    CHECK(contains(done.err, "axelram: smollm2-135m: "));
    CHECK(contains(done.err, "scripts/get_model smollm2-135m'\n"));
    CHECK(done.err.find('\n') == done.err.size() - 1);
  }
  CHECK(axelram.entries() == 2);
  CHECK(contains(row_of(axelram, kName)["file"], "none: run " + kSource + "/scripts/get_model"));
}

TEST_CASE("a pretrained model that is cached is taken by its name, which results show") {
  const TempDir axelram;
  // Any checkpoint stands for it.
  const std::string file = "SmolLM2-135M-Instruct.Q4_1.gguf";
  const fs::path folder = axelram.at("cache/axelram/models/smollm2-135m");
  fs::create_directories(folder);
  fs::copy(kTinyLlama, folder / file);
  for (const std::string& command : commands(kName)) {
    CASE(command);
    const ProcessResult done = axelram(command, kCache);
    CHECK(done);
    CHECK(done.err.find("axelram: ") == std::string::npos);
  }
  for (const char* json : {"perplexity.json", "signs.json", "captured.json", "stressed.json"})
    CHECK_AT(json, axelram.json(json)["model"] == kName);
  for (const char* tensors : {"signs", "captured"})
    CHECK_AT(tensors,
             axelram::files::Safetensors::read(axelram.at(tensors)).metadata_at("model") == kName);
  CHECK(row_of(axelram, kName)["file"] == (folder / file).string());
  // Like any input, it is overwritten by no output.
  const ProcessResult over =
      axelram("perplexity smollm2-135m" + kText + "--cache fp16 --force --json " +
                  (folder / file / "config.json").string(),
              kCache);
  CHECK(over.code == 2);
}

TEST_CASE("a file or folder comes before a pretrained model of the same name") {
  const TempDir axelram;
  fs::create_directory_symlink(kTinyLlama, axelram.at(kName));
  for (const std::string& command : commands(kName)) CHECK_AT(command, axelram(command, kCache));
}

TEST_CASE("a name that is almost that of a pretrained model") {
  const TempDir axelram;
  for (const std::string& command : commands("smolm2-135m")) {
    CASE(command);
    const ProcessResult done = axelram(command, kCache);
    CHECK(done.code == 2);
    CHECK(done.err ==
          "axelram: smolm2-135m: no such file or folder; did you mean 'smollm2-135m'?\n");
  }
}

TEST_CASE("a damaged table of pretrained models is named") {
  const TempDir axelram;
  fs::create_directories(axelram.at("share/models"));
  for (const char* table : {"[{\"name\": 1}]", "[1]", "["}) {
    CASE(table);
    axelram.put("share/models/pretrained.json", table);
    failed(axelram("list models", "AXELRAM_SHARE=$PWD/share"), 2, "share/models/pretrained.json: ");
  }
}

TEST_CASE("smollm2-135m has the size of the table" * needs_smollm2) {
  const TempDir axelram;
  for (const Json& row : Json::parse(axelram("list models --json -").out)) {
    CASE(row);
    if (row["name"] == kName) {
      CHECK(row["file"] == pretrained(kName));
      CHECK(row["bytes"] == std::to_string(fs::file_size(pretrained(kName))));
    }
  }
}

}  // namespace
