#include <cstddef>
#include <vector>

#include "axelram/fast_group_sums.hpp"
#include "axelram/fast_kivi_read.hpp"
#include "axelram/fast_nuq.hpp"
#include "axelram/fast_nuq_read.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/fields.hpp"
#include "golden/float_mode.hpp"
#include "golden/guarded_bytes.hpp"
#include "golden/tier_read_inputs.hpp"

using namespace axelram;
using namespace tier_read;

namespace {

// As usual; flush; down; up; to zero.
constexpr unsigned kModes[] = {0x1F80U, 0x9FC0U, 0x3F80U, 0x5F80U, 0x7F80U};

std::vector<KiviLayout> all_bits(KiviLayout (*layout)(int, std::size_t, std::size_t), std::size_t d,
                                 std::size_t group) {
  return {layout(2, d, group), layout(3, d, group), layout(4, d, group),
          nested_kivi_layout(layout(4, d, group))};
}

/// Rows of FP32 in which the unit may write the first `used` of each `stride` only.
struct Target {
  Floats values;
  Target(std::size_t count, std::size_t stride) : values(count * stride, -7.5F) {}
};

void check_scores(Rng& rng, const KiviLayout& keys, std::size_t count, unsigned mode) {
  const std::size_t blocks = static_cast<std::size_t>(tier_oracle::uniform(rng, 1, 3));
  const std::size_t d = keys.groups, tokens = blocks * keys.size;
  const std::size_t query_stride = d + 3, score_stride = tokens + 5;
  const fast_test::GuardedBytes bytes(any_blocks(rng, keys, blocks));
  const Floats q = queries(rng, count * query_stride, true);
  Target expected(count, score_stride);
  score_kivi_ref(keys, bytes.data(), blocks, q.data(), count, query_stride, expected.values.data(),
                 score_stride);
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    Target scores(count, score_stride);
    run_in_mode(mode, [&] {
      score_kivi(keys, bytes.data(), blocks, q.data(), count, query_stride, scores.values.data(),
                 score_stride, level);
    });
    REQUIRE(test::same_bits(scores.values, expected.values));
  }
}

void check_sums(Rng& rng, const KiviLayout& values, std::size_t count, std::size_t rows,
                unsigned mode) {
  const std::size_t d = values.elements(), weight_stride = rows + 1, sum_stride = d + 7;
  const fast_test::GuardedBytes bytes(any_blocks(rng, values, rows));
  const Floats weights = queries(rng, count * weight_stride, true);
  const Floats before = queries(rng, count * sum_stride, true);
  Floats expected = before;
  sum_kivi_ref(values, bytes.data(), rows, weights.data(), count, weight_stride, expected.data(),
               sum_stride);
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    Floats sums = before;
    run_in_mode(mode, [&] {
      sum_kivi(values, bytes.data(), rows, weights.data(), count, weight_stride, sums.data(),
               sum_stride, level);
    });
    REQUIRE(test::same_bits(sums, expected));
  }
}

struct NuqCase {
  NuqCase(Rng& rng, int bits, std::size_t d, std::size_t outliers, bool values, std::size_t rows)
      : layout{bits, d, outliers, values},
        levels(tier_oracle::random_centroids(rng, bits)),
        middles(tier_oracle::adversarial_group(rng, d, 15)),
        radii(tier_oracle::adversarial_group(rng, d, 15)),
        row_count(rows) {
    for (Half& radius : radii) radius = radius & 0x7FFF;
    const std::vector<double> boundaries =
        nuq_boundaries_ref(tier_oracle::random_centroids(rng, bits));
    Bytes all(rows * layout.bytes());
    for (std::size_t t = 0; t < rows; ++t) {
      const Row x = tier_oracle::adversarial_group(rng, d, 15);
      std::uint8_t* const row = &all[t * layout.bytes()];
      if (values)
        encode_nuq_value_ref(layout, boundaries, x.data(), row);
      else
        encode_nuq_key_ref(layout, boundaries, ranges(), x.data(), row);
      for (std::size_t i = 0; i < layout.index_bytes(); ++i)
        row[i] = static_cast<std::uint8_t>(tier_oracle::uniform(rng, 0, 255));  // every index
    }
    bytes = all;
  }

  NuqRanges ranges() const {
    return layout.values ? NuqRanges{nullptr, nullptr} : NuqRanges{middles.data(), radii.data()};
  }

  NuqLayout layout;
  Row levels, middles, radii;
  std::size_t row_count;
  Bytes bytes;
};

void check_nuq(Rng& rng, const NuqCase& of, std::size_t count, unsigned mode) {
  const std::size_t d = of.layout.d, rows = of.row_count;
  const fast_test::GuardedBytes bytes(of.bytes);
  const bool keys = !of.layout.values;
  const Floats in = queries(rng, count * (keys ? d : rows), true);
  const Floats before = queries(rng, count * (keys ? rows : d), true);
  const auto read = [&](Floats* out, auto score, auto sum) {
    if (keys)
      score(of.layout, of.levels, of.ranges(), bytes.data(), rows, in.data(), count, d, out->data(),
            rows);
    else
      sum(of.layout, of.levels, bytes.data(), rows, in.data(), count, rows, out->data(), d);
  };
  Floats expected = before;
  read(&expected, score_nuq_ref, sum_nuq_ref);
  Floats decoded(d);
  decode_nuq_ref(of.layout, of.levels, of.ranges(), bytes.data(), decoded.data());
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    Floats out = before, x(d);
    run_in_mode(mode, [&] {
      read(
          &out, [&](auto... arguments) { score_nuq(arguments..., level); },
          [&](auto... arguments) { sum_nuq(arguments..., level); });
      decode_nuq(of.layout, of.levels, of.ranges(), bytes.data(), x.data(), level);
    });
    REQUIRE(test::same_bits(out, expected));
    REQUIRE(test::same_bits(x, decoded));
  }
}

void check_groups(Rng& rng, const GroupedRows& shape, std::size_t count, unsigned mode) {
  const std::size_t weight_stride = shape.count + 1, sum_stride = shape.d + 7;
  const Floats x = queries(rng, shape.count * shape.d, true);
  const Floats weights = queries(rng, count * weight_stride, true);
  GroupedRows of = shape;
  of.rows = x.data();
  std::vector<double> before;
  for (const float sum : queries(rng, count * sum_stride, true)) before.push_back(sum / 3.0);
  std::vector<double> expected = before;
  sum_groups_ref(of, weights.data(), count, weight_stride, expected.data(), sum_stride);
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    std::vector<double> sums = before;
    run_in_mode(mode, [&] {
      sum_groups(of, weights.data(), count, weight_stride, sums.data(), sum_stride, level);
    });
    REQUIRE(test::same_bits(sums, expected));
  }
}

}  // namespace

TEST_CASE("fast scores of KIVI blocks equal golden's, each shape and number of queries") {
  Rng rng(161);
  for (const std::size_t d : {32, 64, 128, 256})
    for (const std::size_t group : {8, 16, 32, 64, 128, 256})
      for (const KiviLayout& keys : all_bits(kivi_key_layout, d, group)) {
        CASE(d, group, keys);
        check_scores(rng, keys, static_cast<std::size_t>(tier_oracle::uniform(rng, 1, 9)), 0x1F80U);
      }
  for (std::size_t count = 0; count <= 9; ++count)
    for (const std::size_t group : {8, 16, 32, 64})
      for (const KiviLayout& keys : all_bits(kivi_key_layout, 64, group))
        for (int trial = 0; trial < 8; ++trial) {
          CASE(count, group, keys, trial);
          check_scores(rng, keys, count, 0x1F80U);
        }
}

TEST_CASE("fast scores and sums of KIVI blocks, whatever the caller's modes") {
  Rng rng(162);
  for (const unsigned mode : kModes)
    for (int trial = 0; trial < 6; ++trial)
      for (const std::size_t group : {8, 32}) {
        CASE(mode, trial, group);
        for (const KiviLayout& keys : all_bits(kivi_key_layout, 32, group)) {
          CASE(keys);
          check_scores(rng, keys, 3, mode);
        }
        for (const KiviLayout& values : all_bits(kivi_value_layout, 32, group)) {
          CASE(values);
          check_sums(rng, values, 3, 9, mode);
        }
      }
}

TEST_CASE("fast sums of KIVI rows equal golden's, each shape and number of queries") {
  Rng rng(163);
  for (const std::size_t d : {32, 64, 128, 256})
    for (std::size_t group = 8; group <= d; group *= 2)
      for (const KiviLayout& values : all_bits(kivi_value_layout, d, group))
        for (const std::size_t rows : {0, 1, 5, 64}) {
          CASE(d, group, values, rows);
          check_sums(rng, values, static_cast<std::size_t>(tier_oracle::uniform(rng, 1, 9)), rows,
                     0x1F80U);
        }
  for (std::size_t count = 0; count <= 9; ++count)
    for (const std::size_t rows : {63, 65, 130})
      for (const KiviLayout& values : all_bits(kivi_value_layout, 64, 16)) {
        CASE(count, rows, values);
        check_sums(rng, values, count, rows, 0x1F80U);
      }
}

TEST_CASE("fast reads of shapes that no tiered cache has") {
  Rng rng(164);
  for (const KiviLayout& keys : all_bits(kivi_key_layout, 8, 24)) {
    CASE(keys);
    check_scores(rng, keys, 5, 0x1F80U);
  }
  for (const KiviLayout& keys : all_bits(kivi_key_layout, 96, 40)) {
    CASE(keys);
    check_scores(rng, keys, 2, 0x1F80U);
  }
  for (const KiviLayout& values : all_bits(kivi_value_layout, 72, 24)) {
    CASE(values);
    check_sums(rng, values, 5, 3, 0x1F80U);
  }
}

TEST_CASE("fast scores and sums of KVQuant rows equal golden's") {
  Rng rng(165);
  for (const bool values : {false, true})
    for (const int bits : {2, 3, 4})
      for (const std::size_t d : {8, 32, 64, 128, 256})
        for (const std::size_t outliers : {std::size_t{0}, std::size_t{2}, d / 4})
          for (const std::size_t rows : {1, 4, 16, 17, 39})
            for (const unsigned mode : kModes) {
              CASE(values, bits, d, outliers, rows, mode);
              check_nuq(rng, {rng, bits, d, outliers, values, rows},
                        static_cast<std::size_t>(tier_oracle::uniform(rng, 0, 5)), mode);
            }
}

TEST_CASE("fast sums of rows by groups equal golden's") {
  Rng rng(166);
  for (const bool fused : {false, true})
    for (const std::size_t d : {8, 32, 64, 96, 128, 256})
      for (const std::size_t group : {1, 2, 7, 8, 32, 64})
        for (const std::size_t rows : {0, 1, 5, 32, 65})
          for (const unsigned mode : kModes) {
            CASE(fused, d, group, rows, mode);
            check_groups(rng, {nullptr, rows, d, group, fused},
                         static_cast<std::size_t>(tier_oracle::uniform(rng, 0, 5)), mode);
          }
}

TEST_CASE("sums of rows by groups: rounded in FP32 within a group, exact beside it") {
  const float rows[] = {1, 1, 1}, weights[] = {1, 0x1p-25F, 0x1p-25F};
  for (const auto& [group, sum] :
       {std::pair<std::size_t, double>{1, 1 + 0x1p-24}, {2, 1 + 0x1p-25}, {3, 1}}) {
    CASE(group, sum);
    double sums[] = {0};
    sum_groups_ref({rows, 3, 1, group, true}, weights, 1, 3, sums, 1);
    CHECK(sums[0] == sum);
  }
  // A product of 1 + 2^-12 by itself, less its FP32 rounding.
  const float x[] = {1 + 0x1p-12F, 1}, y[] = {1 + 0x1p-12F, -(1 + 0x1p-11F)};
  double apart[] = {0}, fused[] = {0};
  sum_groups_ref({x, 2, 1, 2, false}, y, 1, 2, apart, 1);
  // The order makes the first product a rounded one in either case.
  sum_groups_ref({x, 2, 1, 2, true}, y, 1, 2, fused, 1);
  CHECK(apart[0] == 0);
  CHECK(fused[0] == 0);
  const float reversed_x[] = {1, 1 + 0x1p-12F}, reversed_y[] = {-(1 + 0x1p-11F), 1 + 0x1p-12F};
  apart[0] = fused[0] = 0;
  sum_groups_ref({reversed_x, 2, 1, 2, false}, reversed_y, 1, 2, apart, 1);
  sum_groups_ref({reversed_x, 2, 1, 2, true}, reversed_y, 1, 2, fused, 1);
  CHECK(apart[0] == 0);
  CHECK(fused[0] == 0x1p-24);
}
