#include <cmath>
#include <cstddef>
#include <vector>

#include "axelram/float_row.hpp"
#include "axelram/kivi_read.hpp"
#include "axelram/nuq_read.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/tier_read_inputs.hpp"

using namespace axelram;
using namespace tier_read;

namespace {

// FP32 products of FP16 elements have 36 bits, and 256 of them at most 45 binades between them
// where queries do not have all binades: 64 bits of a significand leave an error far below the
// bounds.
using Real = long double;

Real real(std::uint16_t half) { return static_cast<Real>(half_to_double(half)); }

struct Sum {
  Real exact = 0, magnitude = 0;
  void add(Real exact_term, Real allowance) {
    exact += exact_term;
    magnitude += allowance;
  }
  /// Error over 2^-24 of the magnitudes.
  double error(float computed) const {
    const Real off = std::abs(static_cast<Real>(computed) - exact);
    return off == 0 ? 0 : static_cast<double>(std::ldexp(off / magnitude, 24));
  }
};

/// The contract's A of a channel.
Real allowance(const KiviLayout& layout, const Bytes& block, std::size_t group) {
  const KiviGroup of = read_kivi_group(layout, block.data(), group);
  const int most = layout.step == 1 ? layout.most() : 15;
  return std::abs(real(of.minimum)) + most * real(of.scale);
}

std::vector<KiviLayout> nested_too(const KiviLayout& layout) {
  if (layout.bits != 4) return {layout};
  return {layout, nested_kivi_layout(layout)};
}

}  // namespace

TEST_CASE("scores of KIVI blocks hold to the contract's bound, and to that of the header") {
  Rng rng(151);
  double worst = 0;
  for (const std::size_t d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const KiviLayout& keys : nested_too(kivi_key_layout(bits, d, 8)))
        for (int trial = 0; trial < 200; ++trial) {
          CASE(d, bits, keys, trial);
          const Bytes block = any_block(rng, keys);
          const Floats query = queries(rng, d, false);
          Floats decoded(keys.elements()), scores(keys.size);
          decode_kivi_ref(keys, block.data(), decoded.data());
          score_kivi_ref(keys, block.data(), 1, query.data(), 1, d, scores.data(), keys.size);
          for (std::size_t t = 0; t < keys.size; ++t) {
            CASE(t);
            Sum sum;
            for (std::size_t c = 0; c < d; ++c)
              sum.add(static_cast<Real>(query[c]) * decoded[t * d + c],
                      std::abs(query[c]) * allowance(keys, block, c));
            const double error = sum.error(scores[t]);
            REQUIRE(error <= 43);  // the contract: 128
            worst = std::max(worst, error);
          }
        }
  CHECK(worst > 0.5);  // the inputs are hard enough that rounding shows
  MESSAGE("largest error: " << worst << " of 43 units, 128 of the contract");
}

TEST_CASE("scores of KIVI blocks: every rounding of all runs in one direction") {
  // Sums begin above 2^23, where FP32 are integers, and each product is a little more than half:
  // all roundings go up. In one run of 256 channels they would amount to 255 units.
  const std::size_t d = 256;
  const KiviLayout keys = kivi_key_layout(4, d, 8);
  Bytes block(keys.bytes(), 0xFF);  // codes 15
  for (std::size_t g = 0; g < 2 * d; ++g) {
    block[keys.code_bytes() + 2 * g] = 0;
    block[keys.code_bytes() + 2 * g + 1] = g < d ? 0x3C : 0;  // scale 1, minimum 0
  }
  Floats query(d, 0.500001F / 15), scores(keys.size);
  for (std::size_t run = 0; run < kKiviScoreRuns; ++run) query[run] = 559241;
  score_kivi_ref(keys, block.data(), 1, query.data(), 1, d, scores.data(), keys.size);
  Sum sum;
  for (const float q : query) sum.add(15 * static_cast<Real>(q), 15 * static_cast<Real>(q));
  CHECK(sum.error(scores[0]) >= 30);
  CHECK(sum.error(scores[0]) <= 43);
}

TEST_CASE("scores of KIVI blocks: minima that cancel, largest and smallest numbers") {
  const std::size_t d = 256;
  for (const int bits : {2, 3, 4})
    for (const KiviLayout& keys : nested_too(kivi_key_layout(bits, d, 8))) {
      CASE(bits, keys);
      Bytes block(keys.bytes(), 0xFF);
      const auto fill = [&](int scale, int minimum) {
        for (std::size_t g = 0; g < 2 * d; ++g) {
          int half = g < d ? scale : minimum;
          if (g >= d && g % 2 != 0) half ^= 0x8000;
          block[keys.code_bytes() + 2 * g] = static_cast<std::uint8_t>(half & 255);
          block[keys.code_bytes() + 2 * g + 1] = static_cast<std::uint8_t>(half >> 8);
        }
      };
      const auto score = [&](float q) {
        const Floats query(d, q);
        Floats scores(keys.size);
        score_kivi_ref(keys, block.data(), 1, query.data(), 1, d, scores.data(), keys.size);
        return scores[keys.size - 1];
      };
      const auto steps = static_cast<float>(keys.step * keys.most());
      fill(0x0000, 0x7BFF);  // +-65504, scale 0
      CHECK(score(65504) == 0);
      fill(0x7BFF, 0x7BFF);
      CHECK(score(65504) == doctest::Approx(256 * 65504.0 * 65504.0 * steps).epsilon(0x1p-18));
      fill(0x0001, 0x0001);  // the least subnormals
      CHECK(score(1) == 256 * steps * 0x1p-24F);
      CHECK(score(0x1p-102F) == 256 * steps * 0x1p-126F);
      CHECK(std::isfinite(score(0x1p96F)));
    }
}

TEST_CASE("scores of KIVI blocks: an order that neither queries nor blocks change") {
  Rng rng(152);
  const std::size_t d = 64, group = 16, blocks = 5, count = 9;
  const KiviLayout keys = kivi_key_layout(3, d, group);
  const Bytes bytes = any_blocks(rng, keys, blocks);
  const Floats query = queries(rng, count * d, false);
  Floats together(count * blocks * group), alone(group);
  score_kivi_ref(keys, bytes.data(), blocks, query.data(), count, d, together.data(),
                 blocks * group);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < blocks; ++b) {
      CASE(i, b);
      score_kivi_ref(keys, &bytes[b * keys.bytes()], 1, &query[i * d], 1, d, alone.data(), group);
      const auto* const at = &together[(i * blocks + b) * group];
      REQUIRE(test::same_bits(alone, std::span(at, group)));
    }
}

TEST_CASE("sums of KIVI rows hold to the bound of the header, and do not depend on the calls") {
  Rng rng(153);
  for (const int bits : {2, 3, 4})
    for (const std::size_t group : {8, 32, 64})
      for (const KiviLayout& values : nested_too(kivi_value_layout(bits, 64, group)))
        for (int trial = 0; trial < 20; ++trial) {
          CASE(bits, group, values, trial);
          const std::size_t d = 64, rows = 64;
          const Bytes bytes = any_blocks(rng, values, rows);
          const Floats weights = queries(rng, rows, false);
          Floats sums(d, 0.0F), pieces(d, 0.0F);
          sum_kivi_ref(values, bytes.data(), rows, weights.data(), 1, rows, sums.data(), d);
          sum_kivi_ref(values, bytes.data(), 17, weights.data(), 1, rows, pieces.data(), d);
          sum_kivi_ref(values, &bytes[17 * values.bytes()], rows - 17, &weights[17], 1, rows,
                       pieces.data(), d);
          REQUIRE(test::same_bits(sums, pieces));
          std::vector<Sum> exact(d);
          Floats row(d);
          for (std::size_t t = 0; t < rows; ++t) {
            decode_kivi_ref(values, &bytes[t * values.bytes()], row.data());
            for (std::size_t c = 0; c < d; ++c) {
              const Real term = static_cast<Real>(weights[t]) * row[c];
              exact[c].add(term, std::abs(term));
            }
          }
          for (std::size_t c = 0; c < d; ++c) REQUIRE_AT(c, exact[c].error(sums[c]) <= 64);
        }
}

TEST_CASE("scores and sums of KVQuant rows are those of decoded rows") {
  Rng rng(154);
  const std::size_t d = 128, rows = 20;
  for (const int bits : {2, 3, 4})
    for (const std::size_t outliers : {0, 2, 32}) {
      CASE(bits, outliers);
      const Row levels = tier_oracle::random_centroids(rng, bits);
      const std::vector<double> boundaries = nuq_boundaries_ref(levels);
      const Row middles = tier_oracle::adversarial_group(rng, d, 15);
      Row radii = tier_oracle::adversarial_group(rng, d, 15);
      for (Half& radius : radii) radius = radius & 0x7FFF;
      const NuqRanges ranges{middles.data(), radii.data()};
      const NuqLayout keys{bits, d, outliers, false}, values{bits, d, outliers, true};
      Bytes key_rows(rows * keys.bytes()), value_rows(rows * values.bytes());
      const Floats query = queries(rng, d, false), weights = queries(rng, rows, false);
      Floats scores(rows), sums(d, 0.0F);
      std::vector<Sum> exact(d);
      for (std::size_t t = 0; t < rows; ++t) {
        const Row x = tier_oracle::adversarial_group(rng, d, 15);
        encode_nuq_key_ref(keys, boundaries, ranges, x.data(), &key_rows[t * keys.bytes()]);
        encode_nuq_value_ref(values, boundaries, x.data(), &value_rows[t * values.bytes()]);
      }
      score_nuq_ref(keys, levels, ranges, key_rows.data(), rows, query.data(), 1, d, scores.data(),
                    rows);
      sum_nuq_ref(values, levels, value_rows.data(), rows, weights.data(), 1, rows, sums.data(), d);
      for (std::size_t t = 0; t < rows; ++t) {
        CASE(t);
        Floats key(d), value(d);
        decode_nuq_ref(keys, levels, ranges, &key_rows[t * keys.bytes()], key.data());
        decode_nuq_ref(values, levels, {nullptr, nullptr}, &value_rows[t * values.bytes()],
                       value.data());
        Sum score;
        for (std::size_t c = 0; c < d; ++c) {
          const Real term = static_cast<Real>(query[c]) * key[c];
          score.add(term, std::abs(term));
          const Real weighted = static_cast<Real>(weights[t]) * value[c];
          exact[c].add(weighted, std::abs(weighted));
        }
        REQUIRE(score.error(scores[t]) <= 20);
      }
      for (std::size_t c = 0; c < d; ++c) REQUIRE_AT(c, exact[c].error(sums[c]) <= rows);
    }
}

TEST_CASE("the order of a lane dot product") {
  // 2^24 absorbs a 1 that is added to it: the result tells which channels are added to which first.
  Floats a(32, 0.0F);
  const Floats ones(32, 1.0F);
  a[0] = 0x1p24F, a[16] = 1, a[8] = -0x1p24F;  // (2^24 + 1) - 2^24
  CHECK(lane_dot_ref(a.data(), ones.data(), 32) == 0);
  a[16] = 0, a[1] = 1;  // (2^24 - 2^24) + 1
  CHECK(lane_dot_ref(a.data(), ones.data(), 32) == 1);
  a[8] = 0, a[2] = -0x1p24F, a[1] = 0, a[6] = 1;  // lanes 2 and 6 before 0 and 2
  CHECK(lane_dot_ref(a.data(), ones.data(), 32) == 0x1p24F + (-0x1p24F + 1));
}
