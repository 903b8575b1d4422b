#include "axelram/squat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "golden/squat_inputs.hpp"
#include "golden/tier_oracle.hpp"

using namespace axelram;

namespace {

using namespace squat_inputs;
using namespace tier_oracle;
using Bytes = std::vector<std::uint8_t>;
using Integers = std::vector<std::int64_t>;
using Matrix = std::vector<std::int16_t>;

/// Element (row, column) of M'_s, counted from the front.
std::int64_t weight(const SquatFeedback& feedback, std::size_t s, std::size_t row,
                    std::size_t column) {
  std::size_t at = 0;
  for (std::size_t before = 1; before < s; ++before)
    at += (feedback.d - before * feedback.channels) * feedback.channels;
  return feedback.matrices[at + row * feedback.channels + column];
}

/// The rows as feedback moves them, each token by itself in exact arithmetic.
Row moved_rows(const KiviLayout& keys, const SquatFeedback& feedback, const Row& x) {
  const std::size_t g = feedback.channels, d = feedback.d;
  Row current = x;
  for (std::size_t s = 1; s * g < d; ++s) {
    CASE(s);
    std::vector<Integers> errors(keys.size, Integers(g));
    for (std::size_t j = 0; j < g; ++j) {
      CASE(j);
      Row channel;
      for (std::size_t t = 0; t < keys.size; ++t)
        channel.push_back(current[t * d + (s - 1) * g + j]);
      const tier_oracle::Group group = tier_oracle::group(channel, keys.most());
      for (std::size_t t = 0; t < keys.size; ++t)
        errors[t][j] = tier_oracle::units(group.minimum) +
                       group.codes[t] * tier_oracle::units(group.scale) -
                       tier_oracle::units(channel[t]);
    }
    const Int128 one = Int128{1} << -feedback.exponents[s - 1];
    for (std::size_t t = 0; t < keys.size; ++t)
      for (std::size_t i = s * g; i < d; ++i) {
        Int128 sum = tier_oracle::units(current[t * d + i]) * one;
        for (std::size_t j = 0; j < g; ++j)
          sum += Int128{weight(feedback, s, i - s * g, j)} * errors[t][j];
        current[t * d + i] = tier_oracle::nearest(sum, one);
      }
  }
  return current;
}

Bytes encoded(const KiviLayout& keys, const SquatFeedback& feedback, const Row& x) {
  Bytes block(keys.bytes(), 0xA5);
  encode_squat_ref(keys, feedback, x.data(), block.data());
  return block;
}

Bytes encoded(const KiviLayout& keys, const Row& x) {
  Bytes block(keys.bytes(), 0xA5);
  encode_kivi_ref(keys, x.data(), block.data());
  return block;
}

Half fed_back(Half current, int exponent, const Matrix& m, const Integers& errors) {
  return feed_back_ref(current, exponent, m.data(), errors.data(), m.size());
}

}  // namespace

TEST_CASE("SQuat: the contract's vectors of feedback") {
  constexpr std::int64_t kOne = std::int64_t{1} << 24;
  CHECK(fed_back(0x3C00, -14, {8192, -3}, {kOne / 8, 1}) == 0x3C40);
  CHECK(fed_back(0x3C00, -14, {1}, {8 * kOne}) == 0x3C00);  // a tie
  CHECK(fed_back(0x3C00, -14, {1}, {8 * kOne + 1}) == 0x3C01);
  CHECK(fed_back(0x3C01, -14, {1}, {8 * kOne}) == 0x3C02);  // a tie
  CHECK(fed_back(0x7BFF, 0, {1}, {16 * kOne}) == 0x7BFF);
  CHECK(fed_back(0xFBFF, 0, {-1}, {16 * kOne}) == 0xFBFF);
  CHECK(fed_back(0x7BFF, 0, {32767}, {21840 * kOne}) == 0x7BFF);
  CHECK(fed_back(0xBC00, 0, {1}, {kOne}) == 0x0000);
  CHECK(fed_back(0x8000, 0, {0}, {kOne}) == 0x0000);
  // Half of the least number and less are +0, from below too.
  CHECK(fed_back(0x8001, -1, {1}, {1}) == 0x0000);
  CHECK(fed_back(0x8001, -2, {1}, {1}) == 0x8001);
  CHECK(fed_back(0x8000, -20, {-1}, {1}) == 0x0000);
}

TEST_CASE("SQuat: feedback is the contract's in exact arithmetic, at the ends of its range too") {
  tier_oracle::Rng rng(101);
  constexpr std::int64_t kMost = std::int64_t{21840} << 24;
  for (int trial = 0; trial < 20000; ++trial) {
    CASE(trial);
    const auto count = static_cast<std::size_t>(trial % 5 == 0 ? 128 : 1 << trial % 8);
    const auto current =
        static_cast<Half>(trial % 3 == 0 ? 0x7BFF : tier_oracle::uniform(rng, 0, 0x7BFF));
    const auto negative = static_cast<Half>(current | tier_oracle::uniform(rng, 0, 1) << 15);
    const int exponent = trial % 7 == 0 ? -20 : tier_oracle::uniform(rng, -20, 0);
    Matrix m;
    Integers errors;
    for (std::size_t j = 0; j < count; ++j) {
      const bool ends = trial % 11 == 0;
      m.push_back(static_cast<std::int16_t>(ends ? 32767 : tier_oracle::uniform(rng, -9, 9)));
      errors.push_back(ends ? (trial % 2 == 0 ? kMost : -kMost)
                            : std::uniform_int_distribution<std::int64_t>(
                                  -kMost >> trial % 40, kMost >> trial % 40)(rng));
    }
    Int128 sum = Int128{tier_oracle::units(negative)} << -exponent;
    for (std::size_t j = 0; j < count; ++j) sum += Int128{m[j]} * errors[j];
    REQUIRE(fed_back(negative, exponent, m, errors) ==
            tier_oracle::nearest(sum, Int128{1} << -exponent));
  }
}

TEST_CASE("SQuat: blocks are the contract's in exact arithmetic, for every shape") {
  tier_oracle::Rng rng(102);
  int changed = 0;
  for (const std::size_t d : {32, 64, 128, 256})
    for (std::size_t channels = 8; channels <= d; channels *= 2)
      for (const int bits : {2, 3, 4})
        for (const std::size_t group : {8, 32}) {
          if (d == 256 && channels == 8 && group == 32) continue;  // slow
          CASE(bits, group, d, channels);
          const KiviLayout keys = kivi_key_layout(bits, d, group);
          const SquatFeedback feedback = random_feedback(rng, d, channels);
          check_squat_feedback(feedback);
          const Row x = random_keys(rng, keys);
          const Row moved = moved_rows(keys, feedback, x);
          if (channels == d) REQUIRE_SAME(moved, x);
          const Bytes block = encoded(keys, feedback, x);
          REQUIRE_SAME(block, encoded(keys, moved));
          changed += block != encoded(keys, x) ? 1 : 0;
        }
  CHECK(changed > 50);
}

TEST_CASE("SQuat: the other groups of tokens") {
  tier_oracle::Rng rng(103);
  for (const std::size_t group : {16, 64, 128, 256}) {
    CASE(group);
    const KiviLayout keys = kivi_key_layout(2, 32, group);
    const SquatFeedback feedback = random_feedback(rng, 32, 8);
    const Row x = random_keys(rng, keys);
    REQUIRE_SAME(encoded(keys, feedback, x), encoded(keys, moved_rows(keys, feedback, x)));
  }
}

TEST_CASE("SQuat: errors of KIVI stay within what feedback takes") {
  constexpr std::int64_t kMost = std::int64_t{21840} << 24;
  tier_oracle::Rng rng(104);
  std::int64_t largest = 0;
  const auto errors_of = [&](const Row& x, int bits) {
    const tier_oracle::Group group = tier_oracle::group(x, (1 << bits) - 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      largest = std::max(largest, std::abs(tier_oracle::units(group.minimum) +
                                           group.codes[i] * tier_oracle::units(group.scale) -
                                           tier_oracle::units(x[i])));
  };
  for (int trial = 0; trial < 20000; ++trial) {
    CASE(trial);
    const int bits = tier_oracle::uniform(rng, 2, 4);
    errors_of(tier_oracle::adversarial_group(rng, 16, (1 << bits) - 1), bits);
  }
  // Elements half-way between codes of the widest group.
  for (int code = 0; code <= 0xFBFF; ++code) {
    CASE(code);
    if ((code & 0x7FFF) <= 0x7BFF)
      errors_of({0xFBFF, 0x7BFF, static_cast<Half>(code), 0, 0, 0, 0, 0}, 2);
  }
  CHECK(largest <= kMost);
  CHECK(largest > kMost - (std::int64_t{64} << 24));
}

TEST_CASE("SQuat: matrices round to 16 bits with the least exponent") {
  const auto rounded = [](const std::vector<double>& m, int exponent, const Matrix& expected) {
    Matrix made(m.size());
    const int chosen = round_squat_matrix_ref(m.data(), m.size(), made.data());
    CHECK(chosen == exponent);
    CHECK_SAME(made, expected);
  };
  rounded({}, -20, {});
  rounded({0, -0.0}, -20, {0, 0});
  rounded({32767 * 0x1p-20, -1.5 * 0x1p-20, 0.5 * 0x1p-20, 2.5 * 0x1p-20, -2.5 * 0x1p-20}, -20,
          {32767, -2, 0, 2, -2});
  rounded({std::nextafter(32767.5, 0) * 0x1p-20}, -20, {32767});
  rounded({-std::nextafter(32767.5, 0) * 0x1p-20}, -20, {-32767});
  rounded({32767.5 * 0x1p-20}, -19, {16384});
  rounded({-32767.5 * 0x1p-20, 0x1p-19}, -19, {-16384, 1});
  rounded({0.5}, -15, {16384});
  rounded({1, -1}, -14, {16384, -16384});
  rounded({32767, 1.5, 0.5, -0.75}, 0, {32767, 2, 0, -1});
  for (const double bad : {32767.5, -40000.0, 1e300}) {
    CASE(bad);
    CHECK_THROWS_WITH_AS(rounded({1, bad}, 0, {}), doctest::Contains("too strong"),
                         std::runtime_error);
  }
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CASE(bad);
    CHECK_THROWS_WITH_AS(rounded({bad, 1}, 0, {}), doctest::Contains("not finite"),
                         std::runtime_error);
  }
}

TEST_CASE("SQuat: elements and feedback that are rejected") {
  tier_oracle::Rng rng(105);
  for (const std::size_t at : {0, 31, 255}) {
    CASE(at);
    Row x(256, 0x3C00);
    x[at] = 0xFC00;
    CHECK_THROWS_WITH_AS(encoded(kivi_key_layout(2, 32, 8), random_feedback(rng, 32, 8), x),
                         doctest::Contains("not finite"), std::invalid_argument);
  }
  const SquatFeedback good = random_feedback(rng, 64, 16);
  CHECK_NOTHROW(check_squat_feedback(good));
  const auto reject = [&](auto change, const char* what) {
    SquatFeedback feedback = good;
    change(feedback);
    CHECK_THROWS_WITH_AS(check_squat_feedback(feedback), doctest::Contains(what),
                         std::invalid_argument);
  };
  reject([](SquatFeedback& f) { f.channels = 4; }, "runs of 4");
  reject([](SquatFeedback& f) { f.channels = 24; }, "runs of 24");
  reject([](SquatFeedback& f) { f.channels = 0; }, "runs of 0");
  reject([](SquatFeedback& f) { f.channels = 128; }, "runs of 128");
  reject([](SquatFeedback& f) { f.d = 0; }, "of 0 channels");
  CHECK_THROWS_WITH_AS(check_squat_feedback(random_feedback(rng, 72, 24)),
                       doctest::Contains("runs of 24 of 72"), std::invalid_argument);
  SquatFeedback uneven = random_feedback(rng, 64, 32);
  uneven.d = 80;
  CHECK_THROWS_WITH_AS(check_squat_feedback(uneven), doctest::Contains("runs of 32 of 80"),
                       std::invalid_argument);
  reject([](SquatFeedback& f) { f.channels = 32; }, "sizes");
  reject([](SquatFeedback& f) { f.matrices.pop_back(); }, "sizes");
  reject([](SquatFeedback& f) { f.exponents.pop_back(); }, "sizes");
  reject([](SquatFeedback& f) { f.exponents[2] = 1; }, "exponent 1;");
  reject([](SquatFeedback& f) { f.exponents[0] = -21; }, "exponent -21;");
}
