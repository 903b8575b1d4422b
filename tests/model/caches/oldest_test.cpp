#include <limits>

#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kRows = 600, kStride = 610;
constexpr float kUntouched = -12345;

/// A part of a text: `count` queries from token `first` on, keys from token `oldest` on.
struct Part {
  std::size_t first, count, oldest;
};
/// Around blocks of 64 queries and pieces of 256 values, with one query and with one key, from the
/// first key on.
const Part kParts[] = {{0, 200, 0},    {63, 2, 63},    {64, 130, 1},  {70, 129, 37},
                       {127, 1, 64},   {128, 72, 128}, {199, 1, 199}, {400, 70, 37},
                       {511, 80, 255}, {530, 2, 257},  {540, 60, 1}};

/// Scores of a part are those of all keys, and nothing else is written.
void check_scores(transformer::KeyCache& keys, std::size_t d) {
  const Floats rows = test::gaussian(kRows * d, 1), queries = test::gaussian(kRows * d, 2);
  const Floats all = test::all_scores(keys, rows, queries, d, 7);
  for (const auto& [first, count, oldest] : kParts) {
    CASE(first, count, oldest);
    Floats scores(count * kStride, kUntouched);
    keys.score(&queries[first * d], count, first, oldest, kStride, scores.data());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = 0; t < kStride; ++t) {
        CASE(i, t);
        if (t < oldest || t > first + i)
          REQUIRE(scores[i * kStride + t] == kUntouched);
        else
          REQUIRE(test::Bitwise(scores[i * kStride + t]) ==
                  test::Bitwise(all[(first + i) * kRows + t]));
      }
  }
}

/// Sums of a part are those of all values if the values before it have no weight.
void check_sums(transformer::ValueCache& values, std::size_t d) {
  const Floats rows = test::gaussian(kRows * d, 3), random = test::gaussian(kRows, 4, 0.1F);
  values.begin(7);
  values.write(rows.data(), kRows);
  for (const auto& [first, count, oldest] : kParts) {
    CASE(first, count, oldest);
    Floats weights(count * kStride, 0.0F), whole(count * d), part(count * d);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = oldest; t <= first + i; ++t) weights[i * kStride + t] = random[t];
    values.weighted_sum(weights.data(), count, first, 0, kStride, whole.data());
    for (std::size_t i = 0; i < count; ++i)
      std::fill_n(&weights[i * kStride], oldest, std::numeric_limits<float>::quiet_NaN());
    values.weighted_sum(weights.data(), count, first, oldest, kStride, part.data());
    REQUIRE(test::same_bits(part, whole));
  }
}

void check(const std::string& specification, std::size_t d, const UnitTable& units = fast_units()) {
  CASE(specification);
  const auto cache = test::cache(specification, {2, 2, static_cast<int>(d)}, units);
  check_scores(*cache->keys(1, 0), d);
  check_sums(*cache->values(1, 0), d);
}

}  // namespace

TEST_CASE("keys and values from the oldest on: floats and INT4, bit by bit") {
  for (const std::string specification :
       {"f32", "fp16", "int4", "int4:mode=asymmetric,group=16",
        "int4:code=hamming84,erasure=interpolate,ber=0.05,fault_seed=3", "turboquant:bits=2",
        "turboquant:kind=prod,bits=4,projection=orthogonal",
        "int4:exact_tokens=3,exact_newest=9"}) {
    CASE(specification);
    check(specification, 64);
  }
}

TEST_CASE("keys and values from the oldest on: records, bit by bit") {
  const test::TemporaryFolder folder;
  for (const std::string ecc : {"code: none", "code: golay24, erasure: interpolate"})
    for (const std::string exact :
         {"", "{first: 2}", "{last: 3}", "{first: 16}", "{first: 5, last: 64}"})
      for (const std::size_t d : {32, 256}) {
        CASE(ecc, exact, d);
        test::put(
            folder / "macro.yaml",
            "macro: {head_dim: " + std::to_string(d) + "}\necc: {" + ecc + "}\n" +
                (exact.empty() ? "" : "quantizer: {scale: unbiased}\nexact: " + exact + "\n"));
        for (const UnitTable* const units : {&fast_units(), &reference_units()}) {
          CASE(units == &fast_units());
          check("axelram:config=" + (folder / "macro.yaml") + ",ber=0.03,fault_seed=5", d, *units);
        }
      }
}
