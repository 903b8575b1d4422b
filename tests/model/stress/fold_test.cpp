#include "axelram/stress/fold.hpp"

#include <cmath>
#include <random>

#include "stressed.hpp"

using namespace axelram;
using namespace test;

namespace {

namespace fs = std::filesystem;

/// Factors from 1/4 to 4; heads that share their norms share them.
files::Balance random_balance(const checkpoints::Checkpoint& checkpoint, unsigned seed) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  files::Balance balance{a.layers, a.kv_heads, a.head_dim / 2, {}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> exponent(-2, 2);
  for (std::size_t layer = 0; layer < a.layers; ++layer)
    for (std::size_t head = 0; head < a.kv_heads; ++head)
      for (std::size_t pair = 0; pair < balance.pairs; ++pair) {
        const bool shared = head > 0 && !checkpoint.layers[layer].k_norm.empty();
        balance.lambdas.push_back(shared ? balance.at(layer, 0)[pair]
                                         : std::exp2(exponent(random)));
      }
  return balance;
}

stress::Folded fold(const checkpoints::Checkpoint& checkpoint, const files::Balance& balance,
                    const std::string& out, bool force = false) {
  transformer::Workers workers(2);
  return stress::fold_model(checkpoint, balance, "balance", {out, force, {checkpoint.path}},
                            workers);
}

/// The largest difference relative to the largest value.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0, error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(double{b[i]}));
    error = std::max(error, std::abs(double{a[i]} - double{b[i]}));
  }
  return error / most;
}

}  // namespace

TEST_CASE("folding: queries times lambda, keys over it, the same function, the same types") {
  for (const std::string& name : test::kCheckpoints) {
    CASE(name);
    const test::TemporaryFolder folder;
    const std::string out = folder / "out";
    const checkpoints::Checkpoint before = checkpoints::read_checkpoint(test::reference(name));
    const files::Balance balance = random_balance(before, 3);
    const stress::Folded folded = fold(before, balance, out);
    const checkpoints::Checkpoint after = checkpoints::read_checkpoint(out);
    const auto tensors = files::Safetensors::read(out + "/model.safetensors");
    bool coarse = false;
    for (const fs::directory_entry& entry : fs::directory_iterator(before.path)) {
      CASE(entry);
      if (entry.path().extension() != ".safetensors" || entry.path().stem() == "expected") continue;
      const auto file = files::Safetensors::read(entry.path());
      for (const files::Tensor& old : file.tensors()) {
        CASE(old.name);
        const files::Tensor& now = tensors.at(old.name);
        CHECK(now.type == old.type);
        CHECK_SAME(now.shape, old.shape);
        coarse = coarse || old.type != files::DataType::f32;
      }
    }
    const double tolerance = coarse ? 2e-2 : 2e-5;
    CHECK(folded.logit_change < tolerance);
    const test::Tokens tokens = test::tokens_of(name);
    const test::Seen was = test::run(before, tokens), is = test::run(after, tokens);
    CHECK(difference(is.logits, was.logits) < 2 * tolerance);
    const checkpoints::Architecture& a = before.architecture;
    for (std::size_t layer = 0; layer < a.layers; ++layer) {
      CASE(layer);
      std::vector<float> keys = was.keys.at(layer), queries = was.queries.at(layer);
      const auto lambda = [&](std::size_t head, std::size_t channel) {
        return balance.at(layer, head)[channel % (a.head_dim / 2)];
      };
      for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] /= lambda(i / a.head_dim % a.kv_heads, i % a.head_dim);
      for (std::size_t i = 0; i < queries.size(); ++i)
        queries[i] *= lambda(i / a.head_dim % a.heads / a.group(), i % a.head_dim);
      CHECK(difference(is.keys.at(layer), keys) < 2 * tolerance);
      CHECK(difference(is.queries.at(layer), queries) < 2 * tolerance);
    }
  }
}

TEST_CASE("folding undoes the pairs of stress") {
  const checkpoints::Checkpoint before = checkpoints::read_checkpoint(test::reference("llama-f32"));
  const test::TemporaryFolder folder;
  stress::Changes strong{.pairs = 3};
  strong.scale_low = strong.scale_high = 10;
  strong.layers = {0, 1};
  stress::write_model(before, strong, {}, {folder / "stressed", false, {before.path}});
  const checkpoints::Checkpoint stressed = checkpoints::read_checkpoint(folder / "stressed");
  files::Balance balance{2, 2, 16, std::vector<float>(64, 1)};
  for (const stress::LayerPlan& layer : stress::make_plan(before, strong))
    for (std::size_t head = 0; head < 2; ++head)
      for (const stress::PairFactor& pair : layer.heads[head].pairs)
        balance.lambdas[(layer.layer * 2 + head) * 16 + pair.pair] =
            static_cast<float>(pair.factor);
  fold(stressed, balance, folder / "folded");
  const test::Tokens tokens = test::tokens_of("llama-f32");
  const test::Seen was = test::run(before, tokens),
                   is = test::run(checkpoints::read_checkpoint(folder / "folded"), tokens);
  for (std::size_t layer = 0; layer < 2; ++layer)
    CHECK_AT(layer, difference(is.keys.at(layer), was.keys.at(layer)) < 1e-5);
}

TEST_CASE("folding: what does not fit is rejected, and nothing is left") {
  const test::TemporaryFolder folder;
  const std::string out = folder / "out";
  const auto rejected = [&](const std::string& name, const files::Balance& balance,
                            const std::string& part) {
    CASE(part);
    const auto checkpoint = checkpoints::read_checkpoint(test::reference(name));
    const std::string what = message([&] { fold(checkpoint, balance, out); });
    CASE(what);
    CHECK(contains(what, part));
    CHECK(folder.entries() == 0);
  };
  files::Balance one{2, 2, 16, std::vector<float>(64, 1)};
  files::Balance other = one;
  other.pairs = 8;
  rejected("llama-f32", other,
           "balance: holds 2 layers of 2 heads of 8 pairs; the model has 2 of 2");
  const auto qwen3 = checkpoints::read_checkpoint(test::reference("qwen3"));
  files::Balance shared = random_balance(qwen3, 1);
  REQUIRE(shared.heads > 1);
  shared.lambdas[shared.pairs] *= 2;
  rejected("qwen3", shared, "balance: layer 0: heads 0 and 1 differ; heads that share their norms");
  // Half precision ends at 65504.
  const auto half = checkpoints::read_checkpoint(test::reference("llama-f16-bias"));
  files::Balance large = random_balance(half, 1);
  for (float& lambda : large.lambdas) lambda = 1e6F;
  rejected("llama-f16-bias", large, "goes beyond fp16, the type of the model");
  const std::string what = message([&] {
    transformer::Workers workers(2);
    stress::fold_model(half, random_balance(half, 2), "balance", {out, false, {half.path}}, workers,
                       1e-9);
  });
  CHECK(contains(what, "llama-f16-bias: the logits change by 0."));
  CHECK(folder.entries() == 0);
}
