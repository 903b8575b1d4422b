#include <filesystem>

#include "axelram/files/safetensors.hpp"
#include "cli/program.hpp"
#include "sram_files.hpp"

// Files as other programs and shells hand them over.

namespace {

namespace fs = std::filesystem;
using namespace test;

const std::string kPlain = " --cache f32 --baseline f32 --no-noise --force ";

/// Likelihoods that --nll wrote; the file also names model and text.
std::vector<double> likelihoods(const TempDir& folder, const std::string& name) {
  using namespace axelram::files;
  const Safetensors file = Safetensors::read(folder.at(name));
  return file.at("nll", DataType::f64, 1).values<double>();
}

TEST_CASE("perplexity: a text from a pipe is the text of its file") {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = "perplexity " + kByteLlama + " ";
  REQUIRE(axelram(run + "text.txt" + kPlain + "--nll file"));
  REQUIRE(axelram(run + "/dev/stdin" + kPlain + "--nll pipe", "cat text.txt |"));
  CHECK_SAME(likelihoods(axelram, "pipe"), likelihoods(axelram, "file"));
  // Ids are known by how they begin.
  REQUIRE(axelram("perplexity " + kTinyInputs + kPlain + "--nll file"));
  REQUIRE(
      axelram("perplexity " + kTinyLlama + " /dev/stdin --tokenizer byte" + kPlain + "--nll pipe",
              "cat " + kTinyLlama + "/expected.safetensors |"));
  CHECK_SAME(likelihoods(axelram, "pipe"), likelihoods(axelram, "file"));
  failed(axelram(run + "/dev/stdin" + kPlain, "true |"), 2, "nothing was written");
}

TEST_CASE("perplexity: a model whose metadata are null is the same model") {
  const TempDir axelram;
  fs::copy(kTinyLlama, axelram.at("model"));
  const std::string name = "model/model.safetensors", given = "{\"format\":\"pt\"}";
  std::string null = "null";
  null.resize(given.size(), ' ');
  fs::remove(axelram.at(name));
  axelram.put(name, replaced(content(kTinyLlama + "/model.safetensors"), given, null));
  REQUIRE(axelram("perplexity " + kTinyInputs + kPlain + "--nll given"));
  REQUIRE(axelram("perplexity model model/expected.safetensors" + kPlain + "--nll null"));
  CHECK_SAME(likelihoods(axelram, "null"), likelihoods(axelram, "given"));
}

TEST_CASE("report: Liberty and LEF behind byte order marks are the same files") {
  const TempDir axelram;
  axelram.put("macro.yaml",
              "macro: {head_dim: 32, max_keys: 40}\n"
              "sram: {model: liberty, liberty: m.lib, lef: m.lef}\n");
  const auto values = [&](const std::string& mark) {
    axelram.put("m.lib", mark + kSramLiberty);
    axelram.put("m.lef", mark + kSramLef);
    REQUIRE(axelram("report macro.yaml --json report.json --force"));
    std::vector<std::string> found;
    for (const auto& [name, line] : axelram.figures("report.json"))
      found.push_back(name + " " + line["value"].dump());
    return found;
  };
  const std::vector<std::string> plain = values("");
  CHECK(plain.size() > 50);
  CHECK_SAME(values("\xEF\xBB\xBF"), plain);
}

}  // namespace
