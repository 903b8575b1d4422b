#include <cmath>

#include "byte_llama.hpp"
#include "check.hpp"

using namespace axelram;

namespace {

/// Every layer and head has the signs of the first.
class SharedSigns : public test::AnyKeys {
 public:
  using AnyKeys::AnyKeys;
  std::unique_ptr<transformer::KeyCache> keys(int, int) const override {
    return cache_->keys(0, 0);
  }
};

}  // namespace

TEST_CASE("one sign pattern for all layers and heads costs what many do, of ten patterns") {
  const test::ByteLlama model;
  std::vector<std::unique_ptr<test::KvCache>> own, shared;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const std::string macro = "axelram:config=d128-b2,seed=" + std::to_string(seed);
    own.push_back(model.keys(macro));
    shared.push_back(std::make_unique<SharedSigns>(model.keys(macro)));
  }
  const std::vector<double> costs = model.divergences(own), others = model.divergences(shared);
  const double mean = test::mean_of(costs), other = test::mean_of(others);
  double square = 0;
  for (const double cost : costs) square += std::pow(cost - mean, 2) / 9;
  CASE(mean, other);
  CHECK_DIFFERENT(costs, others);
  // The standard error of a difference of two such means is 0.45 of this spread.
  CHECK(std::abs(other - mean) < std::sqrt(square));
  CHECK(std::sqrt(square) < 0.15 * mean);
}
