#include "axelram/score.hpp"

#include <cfloat>
#include <cstring>

#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

std::uint32_t bits(float value) {
  std::uint32_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

void check_score(std::int64_t acc, std::uint16_t norm, int e_u) {
  bool saturated = false;
  bool expected_saturated = false;
  const float score = score_ref(acc, norm, e_u, &saturated);
  const float expected = oracle::score(acc, norm, e_u, &expected_saturated);
  REQUIRE(bits(score) == bits(expected));
  REQUIRE(saturated == expected_saturated);
}

constexpr std::uint16_t kOne = 0x3C00;

}  // namespace

TEST_CASE("scores equal one conversion of the exact value") {
  oracle::Rng rng(16);
  for (int trial = 0; trial < 300000; ++trial) {
    CASE(trial);
    const auto magnitude = static_cast<std::int64_t>(rng() >> oracle::uniform(rng, 26, 63));
    const auto norm = static_cast<std::uint16_t>(oracle::uniform(rng, 0, 0xFFFF));
    check_score(trial % 2 != 0 ? -magnitude : magnitude, norm, oracle::uniform(rng, -200, 150));
  }
}

TEST_CASE("every norm code, corrupted ones too") {
  for (int norm = 0; norm < 0x10000; ++norm)
    for (const std::int64_t acc :
         {std::int64_t{1}, std::int64_t{-12345}, (std::int64_t{1} << 38) - 1})
      for (const int e_u : {-150, -20, 0, 90}) {
        CASE(norm, acc, e_u);
        check_score(acc, static_cast<std::uint16_t>(norm), e_u);
      }
}

TEST_CASE("ties of the 24-bit rounding go to even") {
  for (std::int64_t base = (1 << 24) - 40; base < (1 << 24) + 40; ++base)
    for (int shift = 1; shift < 12; ++shift)
      for (int offset = -1; offset <= 1; ++offset)
        for (const int e_u : {0, -149, -160, 90}) {
          CASE(base, shift, offset, e_u);
          check_score((2 * base + 1) * (std::int64_t{1} << (shift - 1)) + offset, kOne, e_u);
        }
}

TEST_CASE("underflow keeps the sign, exact zero is +0") {
  bool saturated = true;
  CHECK(bits(score_ref(0, kOne, 0, &saturated)) == 0);
  CHECK_FALSE(saturated);
  CHECK(bits(score_ref(-5, 0x8000, 100, &saturated)) == 0);  // norm 0
  CHECK(bits(score_ref(-1, kOne, -150, &saturated)) == 0x80000000);
  CHECK(bits(score_ref(1, kOne, -150, &saturated)) == 0);
  CHECK(bits(score_ref(3, kOne, -151, &saturated)) == 1);
  CHECK(bits(score_ref(3, kOne, -150, &saturated)) == 2);
  CHECK(bits(score_ref(-1, kOne, -149, &saturated)) == 0x80000001);
  CHECK(bits(score_ref((1 << 24) - 1, kOne, -150, &saturated)) == 0x00800000);
  CHECK(bits(score_ref(-1, 0x0001, -9000, &saturated)) == 0x80000000);
}

TEST_CASE("the largest scores saturate; the flag compares the exact magnitude") {
  bool saturated = true;
  const std::int64_t max = (1 << 24) - 1;
  CHECK(score_ref(max, kOne, 104, &saturated) == FLT_MAX);
  CHECK_FALSE(saturated);
  CHECK(score_ref(-max, kOne, 104, &saturated) == -FLT_MAX);
  CHECK_FALSE(saturated);
  // Below the midpoint to 2^128: FLT_MAX either way, but no longer exact.
  CHECK(score_ref(4 * max + 1, kOne, 102, &saturated) == FLT_MAX);
  CHECK(saturated);
  CHECK(score_ref(2 * max + 1, kOne, 103, &saturated) == FLT_MAX);
  CHECK(saturated);
  CHECK(score_ref(-1, kOne, 128, &saturated) == -FLT_MAX);
  CHECK(saturated);
  CHECK(score_ref(1, 0x7FFF, 9000, &saturated) == FLT_MAX);
  CHECK(saturated);
  CHECK(score_ref(4 * max - 1, kOne, 102, &saturated) == FLT_MAX);
  CHECK_FALSE(saturated);
}
