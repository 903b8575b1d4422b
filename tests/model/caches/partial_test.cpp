#include <cmath>

#include "axelram/half.hpp"
#include "caches/support.hpp"
#include "check.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr test::Shape kShape{3, 2, 64};
constexpr std::size_t kD = 64, kTokens = 40;
const std::string kMacro = "axelram:config=d64-b3";

Floats scores(const std::string& specification, int layer, int head, const Floats& rows,
              const Floats& queries) {
  const auto keys = test::cache(specification, kShape)->keys(layer, head);
  return test::all_scores(*keys, rows, queries, kD);
}

Floats sums(const std::string& specification, int layer, int head, const Floats& rows,
            const Floats& weights) {
  const auto values = test::cache(specification, kShape)->values(layer, head);
  values->begin(0);
  values->write(rows.data(), 7);  // in two pieces
  values->write(&rows[7 * kD], kTokens - 7);
  Floats out(kTokens * kD);
  values->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, out.data());
  return out;
}

float furthest(const Floats& a, const Floats& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE("layer and head: the cache there, FP16 elsewhere") {
  const Floats rows = test::gaussian(kTokens * kD, 1), queries = test::gaussian(kTokens * kD, 2);
  const Floats weights = test::causal_weights(kTokens, 3);
  for (const std::string& name :
       {kMacro, std::string("int4:mode=asymmetric"), std::string("turboquant:bits=2")}) {
    for (int layer = 0; layer < kShape.layers; ++layer)
      for (int head = 0; head < kShape.heads; ++head)
        for (const auto& [part, applies] : {std::pair<std::string, bool>{"layer=1", layer == 1},
                                            {"head=0", head == 0},
                                            {"layer=2,head=1", layer == 2 && head == 1}}) {
          CASE(name, layer, head, part, applies);
          const std::string right = applies ? name : "fp16";
          CHECK(test::same_bits(scores(name + "," + part, layer, head, rows, queries),
                                scores(right, layer, head, rows, queries)));
          CHECK(test::same_bits(sums(name + "," + part, layer, head, rows, weights),
                                sums(right, layer, head, rows, weights)));
        }
  }
}

TEST_CASE("exact_tokens: the first rows are FP16, the others those of the cache") {
  const Floats rows = test::gaussian(kTokens * kD, 4), queries = test::gaussian(kTokens * kD, 5);
  const Floats half = scores("fp16", 1, 1, rows, queries);
  for (const std::string& name : {kMacro, std::string("int4")}) {
    CASE(name);
    const std::string part = name + (name == kMacro ? "," : ":") + "exact_tokens=5";
    const Floats mixed = scores(part, 1, 1, rows, queries), all = scores(name, 1, 1, rows, queries);
    for (std::size_t i = 0; i < kTokens; ++i)
      for (std::size_t t = 0; t <= i; ++t) {
        CASE(i, t);
        const float right = (t < 5 ? half : all)[i * kTokens + t];
        REQUIRE(std::abs(mixed[i * kTokens + t] - right) < 1e-4F);
      }
    CHECK(furthest(half, all) > 0.1F);
  }
  // A sum of values is linear: that of the first rows and that of the others.
  const Floats weights = test::causal_weights(kTokens, 6);
  Floats head = weights, tail = weights;
  for (std::size_t i = 0; i < kTokens; ++i)
    for (std::size_t t = 0; t < kTokens; ++t) (t < 5 ? tail : head)[i * kTokens + t] = 0;
  const Floats mixed = sums(kMacro + ",exact_tokens=5", 0, 0, rows, weights);
  const Floats first = sums("fp16", 0, 0, rows, head), others = sums(kMacro, 0, 0, rows, tail);
  for (std::size_t i = 0; i < mixed.size(); ++i)
    REQUIRE_AT(i, std::abs(mixed[i] - first[i] - others[i]) < 1e-5F);
}

TEST_CASE("exact_newest: the newest rows of each query are FP16") {
  const Floats rows = test::gaussian(kTokens * kD, 9), queries = test::gaussian(kTokens * kD, 10);
  const Floats half = scores("fp16", 1, 1, rows, queries);
  const Floats weights = test::causal_weights(kTokens, 11);
  for (const int first : {0, 5}) {
    CASE(first);
    const std::string part =
        ",exact_newest=7" + (first == 0 ? "" : ",exact_tokens=" + std::to_string(first));
    const auto exact = [first](std::size_t i, std::size_t t) {
      return t < static_cast<std::size_t>(first) || t + 7 > i;
    };
    const Floats mixed = scores(kMacro + part, 1, 1, rows, queries);
    const Floats all = scores(kMacro, 1, 1, rows, queries);
    Floats ends = weights, others = weights;
    for (std::size_t i = 0; i < kTokens; ++i)
      for (std::size_t t = 0; t <= i; ++t) {
        CASE(i, t);
        const float right = (exact(i, t) ? half : all)[i * kTokens + t];
        REQUIRE(std::abs(mixed[i * kTokens + t] - right) < 1e-4F);
        (exact(i, t) ? others : ends)[i * kTokens + t] = 0;
      }
    const Floats sum = sums(kMacro + part, 1, 1, rows, weights);
    const Floats a = sums("fp16", 1, 1, rows, ends), b = sums(kMacro, 1, 1, rows, others);
    for (std::size_t i = 0; i < sum.size(); ++i)
      REQUIRE_AT(i, std::abs(sum[i] - a[i] - b[i]) < 1e-5F);
  }
}

TEST_CASE("exact_channels: the largest channels are FP16") {
  Floats rows = test::gaussian(kTokens * kD, 7);
  const Floats queries = test::gaussian(kTokens * kD, 8);
  for (std::size_t t = 0; t < kTokens; ++t)
    for (const std::size_t c : {3U, 40U}) rows[t * kD + c] *= 50;
  const Floats half = scores("fp16", 0, 0, rows, queries);
  const auto error = [&](const std::string& name) {
    return furthest(scores(name, 0, 0, rows, queries), half);
  };
  const float plain = error(kMacro), two = error(kMacro + ",exact_channels=2"),
              all = error(kMacro + ",exact_channels=64");
  CHECK(two < plain / 5);
  CHECK(all < 1e-2F);  // scores of several hundred, FP16 keys, another order of sums
  // Without them the two caches see the same keys.
  Floats others = rows, masked = queries;
  for (std::size_t t = 0; t < kTokens; ++t)
    for (const std::size_t c : {3U, 40U}) others[t * kD + c] = masked[t * kD + c] = 0;
  const Floats rest = scores(kMacro, 0, 0, others, masked);
  const Floats both = scores(kMacro + ",exact_channels=2", 0, 0, rows, queries);
  for (std::size_t i = 0; i < kTokens; ++i)
    for (std::size_t t = 0; t <= i; ++t) {
      CASE(i, t);
      double exact = rest[i * kTokens + t];
      for (const std::size_t c : {3U, 40U})
        exact += static_cast<double>(queries[i * kD + c]) *
                 half_to_double(double_to_half(static_cast<double>(rows[t * kD + c])));
      REQUIRE(std::abs(both[i * kTokens + t] - static_cast<float>(exact)) < 1e-2F);
    }
}

TEST_CASE("a part that the model does not have") {
  CHECK(test::contains(test::message([] { test::cache(kMacro + ",layer=3", kShape); }),
                       "layer is 3; the model has 0..2"));
  CHECK(test::contains(test::message([] { test::cache("int4:head=2", kShape); }),
                       "head is 2; the model has 0..1"));
  CHECK(test::contains(
      test::message([] { test::cache(kMacro + ",exact_channels=65", kShape)->keys(0, 0); }),
      "exact_channels is 65; a head has 64"));
}
