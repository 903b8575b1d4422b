#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "needs.hpp"
#include "transformer/run_model.hpp"

using namespace axelram;

namespace {

/// The worst difference of a logit from those that transformers computes.
float worst_logit(const std::string& name) {
  const auto checkpoint = checkpoints::read_checkpoint(test::pretrained(name));
  const auto expected = files::Safetensors::read(std::string(AXELRAM_SOURCE) +
                                                 "/tests/model/transformer/reference/pretrained/" +
                                                 name + ".safetensors");
  const auto tokens = expected.at("tokens").values<std::int32_t>();
  const auto places = expected.at("places").values<std::int32_t>();
  const auto ids = expected.at("ids").values<std::int32_t>();
  const auto right = expected.at("logits").values<float>();
  const std::vector<float> own = test::logits_of(checkpoint, tokens, tokens.size(), 2);
  REQUIRE(right.size() == places.size() * ids.size());
  float worst = 0;
  for (std::size_t p = 0; p < places.size(); ++p)
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t at =
          static_cast<std::size_t>(places[p]) * checkpoint.architecture.vocabulary +
          static_cast<std::size_t>(ids[i]);
      worst = std::max(worst, std::abs(own[at] - right[p * ids.size() + i]));
    }
  return worst;
}

}  // namespace

TEST_CASE("SmolLM2-135M: logits equal those of Hugging Face transformers" * test::needs_smollm2) {
  CHECK(worst_logit("smollm2-135m") < 1e-3F);
}

TEST_CASE("Gemma 3 270M: logits equal those of Hugging Face transformers" * test::needs_gemma3) {
  CHECK(worst_logit("gemma3-270m") < 1e-3F);
}
