#include "axelram/int4.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "axelram/group_scale.hpp"
#include "axelram/half.hpp"
#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Floats = std::vector<float>;
using oracle::Int128;

/// Exact integers on the grid of 2^-60: all of FP16, and floats of moderate size.
Int128 on_grid(double x) { return static_cast<Int128>(std::ldexp(x, 60)); }

/// RNE(numerator / denominator) of integers, denominator > 0.
Int128 rounded(Int128 numerator, Int128 denominator) {
  Int128 floor = numerator / denominator;
  if (floor * denominator > numerator) --floor;
  const Int128 twice = 2 * (numerator - floor * denominator);
  const bool up = twice > denominator || (twice == denominator && floor % 2 != 0);
  return floor + (up ? 1 : 0);
}

/// The finite FP16 value >= 0 that is nearest to (high - low) / steps, by trying each.
std::uint16_t nearest_scale(double high, double low, int steps) {
  const Int128 range = on_grid(high) - on_grid(low);
  int best = 0;
  Int128 least = -1;
  for (int code = 0; code <= 0x7BFF; ++code) {
    Int128 error = range - steps * on_grid(half_to_double(static_cast<std::uint16_t>(code)));
    if (error < 0) error = -error;
    if (least < 0 || error < least || (error == least && code % 2 == 0)) {
      best = code;
      least = error;
    }
  }
  return static_cast<std::uint16_t>(best);
}

int clamped(Int128 q, int low, int high) {
  return static_cast<int>(std::max<Int128>(low, std::min<Int128>(high, q)));
}

/// Scale, minimum and values of one group by the contract's formulas in exact arithmetic.
struct Group {
  std::uint16_t scale = 0, minimum = 0;
  std::vector<int> q;
};

Group symmetric(const Floats& x) {
  double most = 0;
  for (const float value : x) most = std::max(most, std::abs(double{value}));
  Group group{nearest_scale(most, 0, 7), 0, {}};
  const Int128 scale = on_grid(half_to_double(group.scale));
  for (const float value : x)
    group.q.push_back(scale == 0 ? 0 : clamped(rounded(on_grid(value), scale), -7, 7));
  return group;
}

Group asymmetric(const Floats& x) {
  const double low = *std::min_element(x.begin(), x.end());
  const double high = *std::max_element(x.begin(), x.end());
  Group group{0, oracle::nearest_code(low, ElementFormat::fp16), {}};
  const double minimum = half_to_double(group.minimum);
  group.scale = nearest_scale(std::max(high, minimum), minimum, 15);
  const Int128 scale = on_grid(half_to_double(group.scale));
  for (const float value : x)
    group.q.push_back(
        scale == 0 ? 0 : clamped(rounded(on_grid(value) - on_grid(minimum), scale), 0, 15));
  return group;
}

/// Random groups: FP16 of every character, floats of full precision, and exact half-way points.
Floats random_group(oracle::Rng& rng, int size) {
  Floats x(static_cast<std::size_t>(size));
  const int character = oracle::uniform(rng, 0, 3);
  if (character < 2) {
    const auto raw = oracle::vector(rng, size, ElementFormat::fp16);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(half_to_double(raw[i]));
  } else if (character == 2) {
    const int exponent = oracle::uniform(rng, -48, -9);
    for (float& value : x)
      value = static_cast<float>(std::ldexp(oracle::uniform(rng, -(1 << 24), 1 << 24),
                                            exponent + oracle::uniform(rng, -9, 0)));
  } else {
    const double scale = std::ldexp(oracle::uniform(rng, 1, 63), oracle::uniform(rng, -24, 4));
    const int low = oracle::uniform(rng, -15, 0);
    for (float& value : x)
      value = static_cast<float>((low + oracle::uniform(rng, 0, 30) / 2.0) * scale);
    x[0] = static_cast<float>(low * scale);
    x[1] = static_cast<float>((low + 15) * scale);
  }
  return x;
}

}  // namespace

TEST_CASE("scales are the FP16 values nearest to the exact quotients") {
  oracle::Rng rng(51);
  for (int trial = 0; trial < 1500; ++trial) {
    CASE(trial);
    const Floats x = random_group(rng, 2);
    const int steps = oracle::uniform(rng, 0, 1) == 0 ? 7 : 15;
    const double low = half_to_double(double_to_half(std::min(x[0], x[1])));
    const double high = std::max(low, double{std::max(x[0], x[1])});
    REQUIRE(group_scale_ref(high, low, steps) == nearest_scale(high, low, steps));
  }
  CHECK(group_scale_ref(0, 0, 7) == 0);
  CHECK(group_scale_ref(7, 0, 7) == 0x3C00);
  CHECK(group_scale_ref(3.5 * 0x1p-24, 0, 7) == 0);  // a tie: half of the smallest subnormal
  CHECK(group_scale_ref(std::nextafter(3.5 * 0x1p-24, 1), 0, 7) == 1);
  CHECK(group_scale_ref(7 * 1.5 * 0x1p-24, 0, 7) == 2);
  CHECK(group_scale_ref(7 * (1 + 0x1p-11), 0, 7) == 0x3C00);
  CHECK(group_scale_ref(7 * (1 + 3 * 0x1p-11), 0, 7) == 0x3C02);
  CHECK(group_scale_ref(65504, 0, 7) == nearest_scale(65504, 0, 7));
  CHECK(group_scale_ref(65504, -65504, 15) == nearest_scale(65504, -65504, 15));
  CHECK(group_scale_ref(7 * 65504.0, 0, 7) == 0x7BFF);
  CHECK(group_scale_ref(1e38, 0, 7) == 0x7BFF);
  CHECK(group_scale_ref(-1, 0, 7) == 0);
}

TEST_CASE("one group a row: scale, minimum and values are the contract's in exact arithmetic") {
  oracle::Rng rng(52);
  for (int trial = 0; trial < 1500; ++trial) {
    CASE(trial);
    const int d = 2 * oracle::uniform(rng, 1, 20);
    const Floats x = random_group(rng, d);
    const Int4Rows s = quantize_int4_ref(x.data(), 1, d, {Int4Mode::symmetric, {}, 0});
    const Group expected = symmetric(x);
    REQUIRE_SAME(s.scales, std::vector<std::uint16_t>{expected.scale});
    REQUIRE(s.minima.empty());
    for (int i = 0; i < d; ++i)
      REQUIRE_AT(i, s.value(0, i) == expected.q[static_cast<std::size_t>(i)]);

    const Int4Rows a = quantize_int4_ref(x.data(), 1, d, {Int4Mode::asymmetric, {}, 0});
    const Group shifted = asymmetric(x);
    REQUIRE_SAME(a.scales, std::vector<std::uint16_t>{shifted.scale});
    REQUIRE(half_to_double(a.minima[0]) == half_to_double(shifted.minimum));
    for (int i = 0; i < d; ++i)
      REQUIRE_AT(i, a.value(0, i) == shifted.q[static_cast<std::size_t>(i)]);
  }
}

TEST_CASE("groups along a row and along a channel quantize as rows of their own") {
  oracle::Rng rng(53);
  const std::size_t tokens = 12;
  const int d = 8;
  for (const Int4Mode mode : {Int4Mode::symmetric, Int4Mode::asymmetric})
    for (const Int4Groups groups : {Int4Groups::token, Int4Groups::channel})
      for (const int group : {0, 1, 2, 4}) {
        CASE(mode, groups, group);
        Floats x;
        for (std::size_t i = 0; i < tokens * d / 2; ++i)
          for (const float value : random_group(rng, 2)) x.push_back(value);
        const Int4Rows rows = quantize_int4_ref(x.data(), tokens, d, {mode, groups, group});
        const bool token = groups == Int4Groups::token;
        const auto size = static_cast<std::size_t>(group != 0 ? group : token ? d : 12);
        CHECK(rows.scales.size() == tokens * d / size);
        CHECK(rows.minima.size() == (mode == Int4Mode::symmetric ? 0 : rows.scales.size()));
        for (std::size_t t = 0; t < tokens; ++t)
          for (std::size_t c = 0; c < d; ++c) {
            CASE(t, c);
            Floats members;
            for (std::size_t i = 0; i < size; ++i)
              members.push_back(token ? x[t * d + c / size * size + i]
                                      : x[(t / size * size + i) * d + c]);
            const Group expected =
                mode == Int4Mode::symmetric ? symmetric(members) : asymmetric(members);
            const std::size_t at = token ? t * (d / size) + c / size : t / size * d + c;
            REQUIRE(rows.scales[at] == expected.scale);
            REQUIRE(rows.group_of(t, static_cast<int>(c)) == at);
            REQUIRE(rows.value(t, static_cast<int>(c)) == expected.q[token ? c % size : t % size]);
          }
      }
}

TEST_CASE("values lie in nibbles, two's complement where symmetric") {
  const Floats x = {7, -7, 1, -1, 3.5F, 2.5F};
  const Int4Rows s = quantize_int4_ref(x.data(), 1, 6, {});
  CHECK_SAME(s.rows, std::vector<std::uint8_t>{0x97, 0xF1, 0x24});  // ties to even: 4 and 2
  CHECK(s.row_bytes() == 3);
  CHECK(s.row_bits() == 24);
  const Floats y = {-1, 14, 0, 0.5F, 1.5F, 13.5F};
  const Int4Rows a = quantize_int4_ref(y.data(), 1, 6, {Int4Mode::asymmetric, {}, 0});
  CHECK_SAME(a.rows, std::vector<std::uint8_t>{0xF0, 0x21, 0xE2});  // 1.5 and 2.5 to 2, 14.5 to 14
  CHECK(a.minima[0] == 0xBC00);
}

TEST_CASE("nothing to tell apart: zeros, equal values, values below the smallest scale") {
  for (const float value : {0.0F, -0.0F, 0x1p-24F, -0x1p-24F, 3 * 0x1p-24F, 0x1p-149F}) {
    CASE(value);
    const Floats x(4, value);
    const Int4Rows s = quantize_int4_ref(x.data(), 1, 4, {});
    CHECK(s.scales[0] == 0);
    CHECK_SAME(s.rows, std::vector<std::uint8_t>{0, 0});
  }
  for (const float value : {0.0F, 1.0F, -65504.0F, 65504.0F}) {
    CASE(value);
    const Floats x(4, value);
    const Int4Rows a = quantize_int4_ref(x.data(), 1, 4, {Int4Mode::asymmetric, {}, 0});
    CHECK(a.scales[0] == 0);
    CHECK_SAME(a.rows, std::vector<std::uint8_t>{0, 0});
    CHECK(half_to_double(a.minima[0]) == half_to_double(double_to_half(value)));
  }
  CHECK(quantize_int4_ref(nullptr, 0, 4, {}).rows.empty());
}

TEST_CASE("BF16 and FP32 beyond FP16: scales and minima saturate, values clamp") {
  const float huge = std::numeric_limits<float>::max();
  const Floats x = {huge, -huge, 1, 7 * 65504.0F};
  const Int4Rows s = quantize_int4_ref(x.data(), 1, 4, {});
  CHECK(s.scales[0] == 0x7BFF);
  CHECK_SAME(s.rows, std::vector<std::uint8_t>{0x97, 0x70});
  const Int4Rows a = quantize_int4_ref(x.data(), 1, 4, {Int4Mode::asymmetric, {}, 0});
  CHECK(a.minima[0] == 0xFBFF);
  CHECK(a.scales[0] == 0x7BFF);
  CHECK_SAME(a.rows,
             std::vector<std::uint8_t>{0x0F, 0x81});  // (1 + 65504) / 65504, 8 * 65504 / 65504
  const Floats high(2, huge);
  CHECK(quantize_int4_ref(high.data(), 1, 2, {Int4Mode::asymmetric, {}, 0}).minima[0] == 0x7BFF);
}

TEST_CASE("values read back: exact, then one rounding to FP32; -8 is taken as it is") {
  oracle::Rng rng(54);
  for (int trial = 0; trial < 500; ++trial) {
    CASE(trial);
    Int4Rows rows;
    rows.format.mode = trial % 2 == 0 ? Int4Mode::symmetric : Int4Mode::asymmetric;
    rows.tokens = 1;
    rows.d = 16;
    rows.scales = {static_cast<std::uint16_t>(oracle::uniform(rng, 0, 0x7BFF))};
    if (trial % 2 != 0)
      rows.minima = {static_cast<std::uint16_t>(oracle::uniform(rng, 0, 0x7BFF) |
                                                oracle::uniform(rng, 0, 1) << 15)};
    for (int byte = 0; byte < 8; ++byte)
      rows.rows.push_back(static_cast<std::uint8_t>(0x10 + 0x22 * byte));  // every nibble
    Floats x(16);
    dequantize_int4_ref(rows, x.data());
    for (int i = 0; i < 16; ++i) {
      CASE(i);
      const int q = trial % 2 == 0 && i >= 8 ? i - 16 : i;
      const double scale = half_to_double(rows.scales[0]);
      const double minimum = rows.minima.empty() ? 0 : half_to_double(rows.minima[0]);
      REQUIRE(rows.value(0, i) == q);
      REQUIRE(x[static_cast<std::size_t>(i)] == static_cast<float>(minimum + q * scale));
    }
  }
}

TEST_CASE("shapes and values that are rejected") {
  const Floats x(64, 1);
  const auto reject = [&](std::size_t tokens, int d, Int4Groups groups, int group,
                          const char* what) {
    CHECK_THROWS_WITH_AS(
        quantize_int4_ref(x.data(), tokens, d, {Int4Mode::asymmetric, groups, group}),
        doctest::Contains(what), std::invalid_argument);
  };
  reject(1, 0, Int4Groups::token, 0, "even number");
  reject(1, -2, Int4Groups::token, 0, "even number");
  reject(1, 7, Int4Groups::token, 0, "even number");
  reject(1, 8, Int4Groups::token, 3, "8 values of a row");
  reject(1, 8, Int4Groups::token, 16, "8 values of a row");
  reject(1, 8, Int4Groups::token, -8, "does not divide");
  reject(6, 8, Int4Groups::channel, 4, "6 tokens of a channel");
  for (const float value :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    CASE(value);
    const Floats bad = {1, 2, 3, value};
    CHECK_THROWS_WITH_AS(quantize_int4_ref(bad.data(), 2, 2, {}), doctest::Contains("not finite"),
                         std::invalid_argument);
  }
}
