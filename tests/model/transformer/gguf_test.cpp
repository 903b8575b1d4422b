#include "axelram/checkpoints/convert.hpp"
#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "transformer/run_model.hpp"

using namespace axelram;

namespace {

const std::string kFiles = std::string(AXELRAM_SOURCE) + "/tests/model/checkpoints/reference/";

}  // namespace

TEST_CASE("logits of GGUF files equal those of Hugging Face transformers") {
  for (const std::string name : {"llama", "llama-bias", "qwen2", "qwen3", "gemma3", "gpt2"}) {
    CASE(name);
    const auto checkpoint = checkpoints::read_checkpoint(kFiles + name + ".gguf");
    const auto expected = files::Safetensors::read(kFiles + name + ".safetensors");
    const files::Tensor& tokens = expected.at("tokens", files::DataType::i32, 2);
    const std::vector<float> right = expected.at("logits").values<float>();
    const std::vector<float> own =
        test::logits_of(checkpoint, tokens.values<std::int32_t>(), tokens.shape[1], 1);
    REQUIRE(own.size() == right.size());
    float worst = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      worst = std::max(worst, std::abs(own[i] - right[i]));
    CHECK(worst < 1e-4F);
  }
}

TEST_CASE("logits of converted files are those of the GGUF files held as F16") {
  for (const std::string name : {"llama", "llama-bias", "qwen2", "qwen3", "gemma3", "gpt2"}) {
    CASE(name);
    const test::TemporaryFolder folder;
    const std::string path = kFiles + name + ".gguf";
    checkpoints::Conversion(path).write({}, {folder / "out", false, {path}});
    auto held = checkpoints::read_checkpoint(path);
    checkpoints::hold_as_f16(&held);
    const auto file = files::Safetensors::read(kFiles + name + ".safetensors");
    const files::Tensor& tokens = file.at("tokens", files::DataType::i32, 2);
    const auto logits = [&](const checkpoints::Checkpoint& checkpoint) {
      return test::logits_of(checkpoint, tokens.values<std::int32_t>(), tokens.shape[1], 1);
    };
    const std::vector<float> own = logits(checkpoints::read_checkpoint(folder / "out"));
    const std::vector<float> right = logits(held);
    REQUIRE(own.size() == right.size());
    float worst = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      worst = std::max(worst, std::abs(own[i] - right[i]));
    CHECK(worst < 1e-5F);
  }
}

TEST_CASE("weights held as F16 are those of the file, rounded") {
  auto checkpoint = checkpoints::read_checkpoint(kFiles + "llama.gguf");
  const auto stored = checkpoint;
  checkpoints::hold_as_f16(&checkpoint);
  CHECK(checkpoint.layers[1].q.type == weights::Type::f16);
  CHECK(checkpoint.layers[1].q.paired_head == 0);
  std::vector<float> rounded(checkpoint.layers[1].q.inputs), exact(rounded.size());
  bool differs = false;
  for (std::size_t o = 0; o < checkpoint.layers[1].q.outputs; ++o) {
    CASE(o);
    checkpoint.layers[1].q.rows(o, 1, rounded.data());
    stored.layers[1].q.rows(o, 1, exact.data());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      CASE(i);
      REQUIRE(std::abs(rounded[i] - exact[i]) <= std::abs(exact[i]) * 0x1p-11F + 0x1p-25F);
      differs = differs || rounded[i] != exact[i];
    }
  }
  CHECK(differs);
}
