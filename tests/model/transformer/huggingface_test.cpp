#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "transformer/run_model.hpp"

using namespace axelram;

namespace {

const std::string kReference = std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/";

float worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  float worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("logits equal those of Hugging Face transformers") {
  for (const std::string name :
       {"llama-f32", "llama-bf16-tied", "llama-f16-bias", "llama-linear", "llama3-rope",
        "llama-yarn", "llama-theta", "mistral", "mistral-sliding", "qwen2", "qwen2-sliding",
        "qwen2-yarn", "qwen3", "gemma3", "gemma3-d256", "gpt2", "gpt2-bare"}) {
    CASE(name);
    const auto checkpoint = checkpoints::read_checkpoint(kReference + name);
    const auto expected = files::Safetensors::read(kReference + name + "/expected.safetensors");
    const files::Tensor& tokens = expected.at("tokens", files::DataType::i32, 2);
    const auto ids = tokens.values<std::int32_t>();
    const std::vector<float> one = test::logits_of(checkpoint, ids, tokens.shape[1], 1);
    CHECK(worst_difference(one, expected.at("logits").values<float>()) < 1e-4F);
    CHECK_SAME(test::logits_of(checkpoint, ids, tokens.shape[1], 3), one);
  }
}

TEST_CASE("what attention sees equals that of Hugging Face transformers") {
  const std::string folder = kReference + "llama-f32";
  const auto checkpoint = checkpoints::read_checkpoint(folder);
  const auto expected = files::Safetensors::read(folder + "/expected.safetensors");
  const files::Tensor& tokens = expected.at("tokens", files::DataType::i32, 2);
  std::vector<float> keys, queries;
  test::logits_of(checkpoint, tokens.values<std::int32_t>(), tokens.shape[1], 2,
                  [&](const transformer::AttentionInputs& seen) {
                    const auto& a = checkpoint.architecture;
                    if (seen.layer != 1) return;
                    const std::size_t k = seen.tokens * a.kv_heads * a.head_dim;
                    const std::size_t q = seen.tokens * a.heads * a.head_dim;
                    keys.insert(keys.end(), seen.keys, seen.keys + k);
                    queries.insert(queries.end(), seen.queries, seen.queries + q);
                  });
  CHECK(worst_difference(keys, expected.at("keys_1").values<float>()) < 1e-5F);
  CHECK(worst_difference(queries, expected.at("queries_1").values<float>()) < 1e-5F);
}
