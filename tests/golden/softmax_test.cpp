#include "axelram/softmax.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "axelram/attention_output.hpp"
#include "axelram/half.hpp"
#include "axelram/logit.hpp"
#include "axelram/rounding.hpp"
#include "axelram/weighted_sum.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

TEST_CASE("half_up: a tie goes upwards, on both sides of zero") {
  CHECK(shift_right_half_up(5, 1) == 3);
  CHECK(shift_right_half_up(-5, 1) == -2);
  CHECK(shift_right_half_up(-1, 1) == 0);
  CHECK(shift_right_half_up(-3, 1) == -1);
  CHECK(shift_right_half_up(-6, 2) == -1);
  CHECK(shift_right_half_up(-7, 2) == -2);
  CHECK(shift_right_half_up(-7, 0) == -7);
  const std::int64_t most = (std::int64_t{1} << 62) - 1;
  CHECK(shift_right_half_up(most, 62) == 1);
  CHECK(shift_right_half_up(most, 63) == 0);
  CHECK(shift_right_half_up(-most, 63) == 0);
  CHECK(shift_right_half_up(-most, 1 << 16) == 0);
  oracle::Rng rng(1);
  for (int trial = 0; trial < 100000; ++trial) {
    CASE(trial);
    const std::int64_t value = static_cast<std::int64_t>(rng()) >> oracle::uniform(rng, 2, 60);
    const int shift = oracle::uniform(rng, 0, 61);
    const oracle::Int128 half = shift == 0 ? 0 : oracle::Int128{1} << (shift - 1);
    REQUIRE(shift_right_half_up(value, shift) ==
            static_cast<std::int64_t>((oracle::Int128{value} + half) >> shift));
  }
}

TEST_CASE("binary_scale is nearest, ties to even, with a carry") {
  CHECK_SAME(binary_scale(1.0, 16), BinaryScale{32768, -15});
  CHECK_SAME(binary_scale(65535.5, 16), BinaryScale{32768, 1});  // a tie to even, and a carry
  CHECK_SAME(binary_scale(65534.5, 16), BinaryScale{65534, 0});
  CHECK_SAME(binary_scale(65533.5, 16), BinaryScale{65534, 0});
  CHECK_SAME(binary_scale(DBL_TRUE_MIN, 16), BinaryScale{32768, -1089});
  oracle::Rng rng(2);
  for (int trial = 0; trial < 100000; ++trial) {
    CASE(trial);
    const double x =
        std::ldexp(1 + static_cast<double>(rng() >> 11) * 0x1p-53, oracle::uniform(rng, -90, 90));
    const int bits = oracle::uniform(rng, 2, 32);
    const BinaryScale found = binary_scale(x, bits);
    REQUIRE(bit_length(found.significand) == bits);
    const double error = std::abs(std::ldexp(found.significand, found.exponent) - x);
    REQUIRE(error <= std::ldexp(0.5, found.exponent));
  }
}

TEST_CASE("a logit is one rounding of the exact product, and saturates") {
  oracle::Rng rng(3);
  for (int trial = 0; trial < 200000; ++trial) {
    CASE(trial);
    const auto bits = static_cast<std::uint32_t>(rng());
    float score;
    std::memcpy(&score, &bits, sizeof score);
    if (!std::isfinite(score)) continue;
    if (trial % 2 == 0) score = static_cast<float>(oracle::uniform(rng, -40000000, 40000000));
    const BinaryScale scale{
        static_cast<std::uint32_t>(oracle::uniform(rng, 32768, 65535)),
        trial % 2 == 0 ? oracle::uniform(rng, -45, -20) : oracle::uniform(rng, -128, 127)};
    // 40 bits times a power of two: exact in a long double of 64 bits.
    const long double exact =
        std::ldexp(static_cast<long double>(score) * scale.significand, scale.exponent + 12);
    const long double rounded = std::nearbyint(exact);
    bool saturated = false;
    const std::int32_t z = logit_ref(score, scale, &saturated);
    const bool beyond = std::abs(rounded) > kLargestLogit;
    REQUIRE(saturated == beyond);
    REQUIRE(z == (beyond ? (score < 0 ? -kLargestLogit : kLargestLogit)
                         : static_cast<std::int32_t>(rounded)));
  }
  bool saturated = true;
  CHECK(logit_ref(0.0F, {65535, 127}, &saturated) == 0);
  CHECK(!saturated);
  CHECK(logit_ref(-0.0F, {65535, 127}, &saturated) == 0);
  CHECK(!saturated);
  CHECK(logit_ref(-FLT_MAX, {65535, 127}, &saturated) == -kLargestLogit);
  CHECK(saturated);
}

TEST_CASE("powers of two: the vectors of the contract, the ROM and the error") {
  const PowerOfTwoRom& rom = power_of_two_rom();
  CHECK(rom.base[0] == 16777216);
  CHECK(rom.slope[0] == 2824);
  CHECK(rom.base[63] == 8479954);
  CHECK(rom.slope[63] == 1427);
  for (int i = 0; i < 64; ++i) {
    CASE(i);
    // No word is near a tie.
    const long double here = std::exp2(24 - i / 64.0L), next = std::exp2(24 - (i + 1) / 64.0L);
    const auto at = static_cast<std::size_t>(i);
    CHECK(std::abs(here - rom.base[at]) < 0.499L);
    CHECK(std::abs((here - next) / 64 - rom.slope[at]) < 0.499L);
  }
  struct Row {
    std::int32_t z, exponent, mantissa;
  };
  for (const Row& row : {Row{0, 0, 65536}, Row{4096, 1, 65536}, Row{1, 1, 32774},
                         Row{4097, 2, 32774}, Row{-1, 0, 65525}, Row{-2048, 0, 46341},
                         Row{67108863, 16384, 65525}, Row{-67108863, -16383, 32774}}) {
    CASE(row.z);
    CHECK(power_of_two_ref(row.z).exponent == row.exponent);
    CHECK(power_of_two_ref(row.z).mantissa == row.mantissa);
  }
  std::int32_t before = 1 << 17;
  for (std::int32_t f = 0; f < 4096; ++f) {
    CASE(f);
    const PowerOfTwo power = power_of_two_ref(-f);
    REQUIRE(power.exponent == 0);
    REQUIRE(power.mantissa <= before);
    before = power.mantissa;
    const double error = power.mantissa / (65536 * std::exp2(-f / 4096.0)) - 1;
    REQUIRE(error > -1.3e-5);
    REQUIRE(error < 3.1e-5);
  }
}

TEST_CASE("references never fall, and the denominator is the sum of powers") {
  oracle::Rng rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    CASE(trial);
    SoftmaxState state;
    double sum = 0;  // of the powers over 2^reference
    const int reference = 20, tokens = oracle::uniform(rng, 1, 300);
    for (int t = 0; t < tokens; ++t) {
      const PowerOfTwo power = power_of_two_ref(oracle::uniform(rng, -80000, 80000));
      const SoftmaxState before = state;
      const auto norm = static_cast<std::uint16_t>(oracle::uniform(rng, 0, 0xFFFF));
      const int bits = oracle::uniform(rng, 12, 28);
      CASE(t, power.exponent, power.mantissa, norm, bits);
      const TokenWeight token = softmax_ref(&state, power, norm, bits);
      sum += std::ldexp(power.mantissa, power.exponent - 16 - reference);
      REQUIRE(state.maximum >= before.maximum);
      REQUIRE(state.weight_reference >= before.weight_reference);
      const NormValue value = decode_norm(norm);
      REQUIRE(token.present == (value.significand != 0));
      REQUIRE(token.weight < 1U << bits);
      if (!token.present) continue;
      REQUIRE(token.first == (before.weight_reference == kNoReference));
      const double exact =
          std::ldexp(double(power.mantissa) * value.significand,
                     power.exponent - 16 + value.exponent - state.weight_reference + bits);
      REQUIRE(std::abs(token.weight - exact) <= 0.5);
    }
    REQUIRE(state.denominator > std::uint64_t{1} << 31);
    REQUIRE(state.denominator <= static_cast<std::uint64_t>(tokens) << 32);
    const double found =
        std::ldexp(static_cast<double>(state.denominator), state.maximum - 32 - reference);
    REQUIRE(std::abs(found / sum - 1) < tokens * 1e-9);
  }
}

TEST_CASE("far references leave nothing of what was before") {
  SoftmaxState state;
  softmax_ref(&state, {65536, -16383}, 0x3C00, 28);
  const TokenWeight token = softmax_ref(&state, {65536, 16384}, 0x3C00, 28);
  CHECK(state.denominator == std::uint64_t{65536} << 16);
  CHECK(token.shift == 32767);
  std::int64_t acc[2] = {-(std::int64_t{1} << 61), std::int64_t{1} << 61};
  const std::int32_t words[] = {-3, 3};
  const std::uint8_t levels[] = {0, 1};
  weighted_sum_ref(acc, 2, token, words, levels);
  CHECK(acc[0] == -3 * std::int64_t{token.weight});
  CHECK(acc[1] == 3 * std::int64_t{token.weight});
  const TokenWeight below = softmax_ref(&state, {65536, -16383}, 0x3C00, 28);
  CHECK(below.weight == 0);
  CHECK(below.shift == 0);
}

TEST_CASE("outputs are one rounding of the exact product, in both formats") {
  oracle::Rng rng(6);
  for (int trial = 0; trial < 200000; ++trial) {
    CASE(trial);
    const int y = oracle::uniform(rng, -(1 << 26), 1 << 26) >> oracle::uniform(rng, 0, 26);
    const auto reciprocal =
        static_cast<std::uint32_t>(oracle::uniform(rng, 1 << 23, (1 << 25) - 1));
    const bool single = trial % 2 == 0;
    const int exponent = trial % 16 == 0
                             ? oracle::uniform(rng, -65536, 65535)
                             : oracle::uniform(rng, single ? -210 : -90, single ? 110 : 20);
    bool saturated = false;
    const std::uint32_t bits = output_ref(
        y, reciprocal, exponent, single ? OutputFormat::fp32 : OutputFormat::fp16, &saturated);
    // 52 bits: exact in a long double, whose exponents reach 16383.
    const long double exact =
        std::ldexp(static_cast<long double>(y) * reciprocal, std::clamp(exponent, -9000, 9000));
    const long double largest = single ? static_cast<long double>(FLT_MAX) : 65504.0L;
    REQUIRE(saturated == (std::abs(exact) > largest));
    const bool negative = (bits >> (single ? 31 : 15)) != 0;
    REQUIRE(negative == (y < 0));
    long double found = 0;
    if (single) {
      float value;
      std::memcpy(&value, &bits, sizeof value);
      found = static_cast<long double>(value);
    } else {
      found = half_to_double(static_cast<std::uint16_t>(bits));
    }
    if (saturated) {
      REQUIRE(std::abs(found) == largest);
      continue;
    }
    const int lowest = single ? -149 : -24, fraction = single ? 24 : 11;
    const int unit = y == 0 ? lowest : std::max(lowest, std::ilogb(exact) + 1 - fraction);
    REQUIRE(found == std::ldexp(std::nearbyint(std::ldexp(exact, -unit)), unit));
  }
}

TEST_CASE("the reciprocal is a floor over the leading 24 bits") {
  CHECK(reciprocal_ref(0, 13119285) == 0);
  CHECK(reciprocal_ref(std::uint64_t{1} << 32, 13119285) == 26238570);
  oracle::Rng rng(8);
  for (int trial = 0; trial < 100000; ++trial) {
    CASE(trial);
    const std::uint64_t denominator = (rng() >> oracle::uniform(rng, 8, 32)) | std::uint64_t{1}
                                                                                   << 31;
    const auto significand =
        static_cast<std::uint32_t>(oracle::uniform(rng, 1 << 23, (1 << 24) - 1));
    const std::uint32_t found = reciprocal_ref(denominator, significand);
    const std::uint64_t leading = denominator >> (bit_length(denominator) - 24);
    REQUIRE(found * leading <= std::uint64_t{significand} << 24);
    REQUIRE((std::uint64_t{found} + 1) * leading > std::uint64_t{significand} << 24);
    REQUIRE(bit_length(found) >= 24);
    REQUIRE(bit_length(found) <= 25);
  }
}
