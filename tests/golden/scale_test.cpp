#include "axelram/scale.hpp"

#include <algorithm>
#include <random>

#include "axelram/fast.hpp"
#include "axelram/macro.hpp"
#include "axelram/rounding.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/macro_fixture.hpp"
#include "golden/oracle.hpp"

using namespace axelram;
using fast_test::between;

namespace {

/// S / A * 2^exponent to 40 bits, rounded to odd: on the same side of every FP16 number and
/// midpoint as the quotient itself.
double quotient(std::uint64_t square_sum, std::uint64_t correlation, int exponent) {
  constexpr int kShift = 70;
  const oracle::Int128 dividend = static_cast<oracle::Int128>(square_sum) << kShift;
  oracle::Int128 value = dividend / correlation;
  bool rest = value * correlation != dividend;
  int shift = -kShift;
  for (; value >> 40 != 0; value >>= 1, ++shift) rest = rest || (value & 1) != 0;
  const auto odd = static_cast<std::int64_t>(value | (rest ? 1 : 0));
  return std::ldexp(static_cast<double>(odd), shift + exponent);
}

void check_norm(std::uint64_t square_sum, std::uint64_t correlation, int exponent) {
  CASE(square_sum, correlation, exponent);
  const double exact = quotient(square_sum, correlation, exponent);
  const auto signed_correlation = static_cast<std::int64_t>(correlation);
  const Norm norm = unbiased_norm_ref(square_sum, signed_correlation, exponent);
  REQUIRE(norm.saturated == (exact > 65504));
  const int expected = exact > 65504 ? 0x7BFF : oracle::nearest_code(exact, ElementFormat::fp16);
  REQUIRE(norm.half == expected);
  const Norm fast = unbiased_norm(square_sum, signed_correlation, exponent);
  REQUIRE(fast.half == norm.half);
  REQUIRE(fast.saturated == norm.saturated);
}

}  // namespace

TEST_CASE("correlation: fast equals correlation_ref, which is the exact sum") {
  fast_test::Random random(71);
  for (const int d : {8, 32, 64, 128, 256})
    for (const int levels : {2, 4, 8, 16, 32})
      for (int repeat = 0; repeat < 30; ++repeat) {
        CASE(d, levels, repeat);
        const int widest = repeat < 2 ? 1 : 0;
        std::vector<std::int32_t> y = fast_test::words(random, d, (1 << 28) - 1);
        std::vector<std::int32_t> centroids = fast_test::words(random, levels, (1 << 15) - 1);
        if (widest != 0) std::fill(y.begin(), y.end(), repeat == 0 ? (1 << 28) - 1 : 1 - (1 << 28));
        if (widest != 0) std::fill(centroids.begin(), centroids.end(), (1 << 15) - 1);
        std::vector<std::uint8_t> indices;
        oracle::Int128 sum = 0;
        for (int i = 0; i < d; ++i) {
          const int index = between(random, 0, levels - 1);
          indices.push_back(static_cast<std::uint8_t>(index));
          sum += static_cast<oracle::Int128>(y[static_cast<std::size_t>(i)]) *
                 centroids[static_cast<std::size_t>(index)];
        }
        const std::int64_t expected =
            correlation_ref(y.data(), indices.data(), d, centroids.data(), levels);
        CHECK(expected == static_cast<std::int64_t>(sum));
        for (const SimdLevel level : fast_test::levels())
          CHECK_AT(level, correlation(y.data(), indices.data(), d, centroids.data(), levels,
                                      level) == expected);
      }
}

TEST_CASE("unbiased norm: one rounding of the exact quotient, ties and subnormals included") {
  oracle::Rng rng(72);
  for (int i = 0; i < 60000; ++i) {
    CASE(i);
    check_norm((rng() >> oracle::uniform(rng, 16, 63)) + 1,
               (rng() >> oracle::uniform(rng, 17, 63)) + 1, oracle::uniform(rng, -60, 40));
  }
  // Quotients that are numbers of FP16 or midpoints, and their nearest neighbours.
  for (int i = 0; i < 40000; ++i) {
    CASE(i);
    const std::uint64_t correlation = (rng() >> oracle::uniform(rng, 29, 60)) + 2;
    const auto code = static_cast<std::uint64_t>(oracle::uniform(rng, 1, 4095));
    const int exponent = oracle::uniform(rng, -40, 6);
    for (const int difference : {-1, 0, 1}) {
      CASE(difference);
      const std::uint64_t square_sum = code * correlation + static_cast<std::uint64_t>(difference);
      check_norm(square_sum, correlation, exponent);
    }
  }
  // About the largest number, which saturates from its exact value on.
  for (const std::uint64_t correlation : {1ULL, 3ULL, 12345ULL, (1ULL << 31) + 7})
    for (const std::uint64_t value : {65503ULL, 65504ULL, 65505ULL, 65519ULL, 65520ULL, 65536ULL})
      for (const int difference : {-1, 0, 1}) {
        CASE(correlation, value, difference);
        check_norm(value * correlation + static_cast<std::uint64_t>(difference), correlation, 0);
      }
}

TEST_CASE("unbiased norm: nothing to divide, or no positive correlation") {
  for (const auto unit : {unbiased_norm_ref, unbiased_norm})
    for (const std::int64_t correlation : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{5}}) {
      CASE(unit, correlation);
      CHECK(unit(0, correlation, 30).half == 0);
      CHECK_FALSE(unit(0, correlation, 30).saturated);
      if (correlation <= 0) CHECK(unit(77, correlation, 30).half == 0);
    }
}

TEST_CASE("unbiased scale: a key's score with itself is exact; with the plain norm it is low") {
  fast_test::Random random(73);
  std::normal_distribution<double> gaussian;
  constexpr int kKeys = 64;
  constexpr double kDistortion[] = {0.1175, 0.0345, 0.0095};  // of the Gaussian codebook, b = 2..4
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    Parameters p{.index_bits = bits, .query_bits = 16, .centroid_bits = 12};
    for (const ScaleKind scale : {ScaleKind::norm, ScaleKind::unbiased}) {
      CASE(scale);
      p.scale = scale;
      Macro macro = macro_fixture::make_macro(p);
      double mean = 0;
      for (int key = 0; key < kKeys; ++key) {
        CASE(key);
        std::vector<std::uint16_t> elements;
        double square = 0;
        for (int i = 0; i < p.head_dim; ++i) {
          elements.push_back(double_to_half(gaussian(random)));
          square += std::pow(element_to_double(elements.back(), p.element_format), 2);
        }
        macro.clear();
        macro.write(elements.data());
        const double score =
            static_cast<double>(macro.query(elements.data()).scores[0]) * macro.rom().score_scale;
        // FP16 rounds the norm by 2^-11 at most; 16 bits of a query are finer.
        if (scale == ScaleKind::unbiased) CHECK(std::abs(score / square - 1) < 0x1p-11 + 0x1p-13);
        mean += score / square / kKeys;
      }
      if (scale == ScaleKind::norm) CHECK(mean < 1 - kDistortion[bits - 2] / 2);
    }
  }
}
