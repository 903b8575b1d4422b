#include <cstdlib>

#include "axelram/files/safetensors.hpp"
#include "check.hpp"
#include "needs.hpp"
#include "transformer/run_model.hpp"

using namespace axelram;

// The expected values were computed in double precision by an independent implementation.
TEST_CASE("stories260K: every token's likelihood equals the independent one" * test::needs_data) {
  const std::string data = test::data();
  const std::string folder = std::string(data) + "/models/stories260K/";
  const auto checkpoint = checkpoints::read_checkpoint(folder + "stories260K.bin");
  const auto check = files::Safetensors::read(folder + "check.safetensors");
  const files::Tensor& tokens = check.at("tokens", files::DataType::i32, 2);
  const auto expected = check.at("nll").values<double>();
  const std::size_t columns = tokens.shape[1];
  const auto ids = tokens.values<std::int32_t>();
  const std::size_t vocabulary = checkpoint.architecture.vocabulary;
  CHECK(vocabulary == 512);
  const std::vector<float> logits = test::logits_of(checkpoint, ids, columns, 2);
  double sum = 0, worst = 0;
  for (std::size_t i = 0, next = 0; i < ids.size(); ++i) {
    if (i % columns == 0) continue;  // a sequence's first id is not predicted
    const double nll = test::nll_of(&logits[(i - 1) * vocabulary], vocabulary, ids[i]);
    worst = std::max(worst, std::abs(nll - expected[next++]));
    sum += nll;
  }
  CHECK(worst < 1e-3);
  CHECK(std::abs(sum / static_cast<double>(expected.size()) - 1.269390) < 1e-4);
}
