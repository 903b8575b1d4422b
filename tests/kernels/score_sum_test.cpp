#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/score.hpp"
#include "check.hpp"
#include "units/norm.cuh"
#include "units/score.cuh"

using namespace axelram;
using namespace axelram::kernels;

namespace {

constexpr std::uint16_t kOne = 0x3C00;  // 1024 * 2^-10

/// The unit and golden's at two terms, to the last bit.
float check_sum(const axelram::ScoreTerm& a, const axelram::ScoreTerm& b) {
  bool expected_saturated = false, saturated = false;
  const float expected = axelram::score_sum_ref(a, b, &expected_saturated);
  const float score = kernels::score_sum_ref({a.acc, a.norm, a.exponent},
                                             {b.acc, b.norm, b.exponent}, b.factor, &saturated);
  CASE(a.acc, a.norm, a.exponent, b.acc, b.norm, b.factor, b.exponent);
  REQUIRE(std::bit_cast<std::uint32_t>(score) == std::bit_cast<std::uint32_t>(expected));
  REQUIRE(saturated == expected_saturated);
  return score;
}

axelram::ScoreTerm term(std::int64_t acc, int exponent, std::uint32_t factor = 1,
                        std::uint16_t norm = kOne) {
  return {acc, norm, factor, exponent};
}

std::int64_t random_acc(std::mt19937_64& random, int most_bits) {
  const int width = static_cast<int>(random() % static_cast<std::uint64_t>(most_bits + 1));
  auto acc = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << width) - 1));
  if (random() % 16 == 0) acc = (std::int64_t{1} << most_bits) - 1;
  if (random() % 16 == 0 && width > 0) acc = std::int64_t{1} << (width - 1);
  return random() % 2 == 0 ? -acc : acc;
}

/// The exponent of a term whose value lies `apart` binary places above 2^exponent.
int exponent_at(int exponent, int apart, std::uint16_t norm) {
  return exponent + apart - axelram::decode_norm(norm).exponent;
}

/// Where scores are ordinary, subnormal, saturated and 0.
const std::vector<int>& places() {
  static const std::vector<int> all = {-30, 0,  -149, -150, -155, -170, -190, -230, 20,
                                       60,  78, 95,   104,  127,  200,  9000, -9000};
  return all;
}

}  // namespace

TEST_CASE("two parts: the sum of terms is golden's at random terms of every width and distance") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000000; ++i) {
    CASE(i);
    const auto first_norm = static_cast<std::uint16_t>(random());
    const auto second_norm = static_cast<std::uint16_t>(random());
    const int place = places()[random() % places().size()] + static_cast<int>(random() % 5);
    const int apart = static_cast<int>(random() % 101) - 50;
    const auto factor = static_cast<std::uint32_t>(random() % 3 == 0   ? 1
                                                   : random() % 2 == 0 ? random() | 1
                                                                       : 13073851);
    check_sum(term(random_acc(random, 38), exponent_at(place, 0, first_norm), 1, first_norm),
              term(random_acc(random, factor == 1 ? 38 : 23),  // of residual signs
                   exponent_at(place, apart, second_norm), factor, second_norm));
  }
}

TEST_CASE("two parts: terms that cancel, up to a rest of any size at any distance") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200000; ++i) {
    CASE(i);
    const int shift = static_cast<int>(random() % 15), place = places()[random() % places().size()];
    const std::int64_t acc = random_acc(random, 23);
    const std::int64_t rest = random() % 2 == 0 ? 0 : random_acc(random, 15);
    // acc * 2^shift, and minus it, but for the rest.
    check_sum(term((acc << shift) + rest, place), term(-acc, place + shift));
    check_sum(term(acc, place + shift), term(-(acc << shift) - rest, place));
    check_sum(term(acc << shift, place + 16), term(-acc + rest, place + shift, 1 << 16));
  }
  CHECK(std::bit_cast<std::uint32_t>(check_sum(term(5, 3), term(-5, 3))) == 0);
  CHECK(std::bit_cast<std::uint32_t>(check_sum(term(-5, 3), term(5, 3))) == 0);
  CHECK(std::bit_cast<std::uint32_t>(check_sum(term(0, 3), term(0, 9000))) == 0);
  CHECK(std::bit_cast<std::uint32_t>(check_sum(term(-1, -9000), term(0, 3))) == 0x80000000);
}

TEST_CASE("two parts: ties of FP32 that the last bit of the smaller term breaks") {
  // (2^24 + 1) * 2^k is a tie between floats; 2^-apart of a unit beside it decides.
  for (const int place : places())
    for (int apart = 0; apart <= 50; ++apart)
      for (const std::int64_t odd : {1, 3})
        for (const int sign : {-1, 1})
          for (const std::int64_t small : {0, 1, -1}) {
            CASE(place, apart, odd, sign, small);
            check_sum(term(sign * ((1 << 24) + odd), place), term(small, place - apart));
            check_sum(term(small, place - apart), term(sign * ((1 << 24) + odd), place));
            check_sum(term(small, place),
                      term(sign * ((1LL << 38) + odd), place - 50 + apart / 2, 3));
          }
}

TEST_CASE("two parts: a term of 0 has no say in the exponent, however far it lies") {
  for (int far = -9999; far <= 9999; far += 3) {
    CASE(far);
    REQUIRE(check_sum(term(3, 2), term(0, far)) == 12);
    REQUIRE(check_sum(term(0, far), term(3, 2, 5)) == 60);
    REQUIRE(check_sum(term(3, 2), term(7, far, 1, 0)) == 12);
    REQUIRE(check_sum(term(7, far, 1, 0x8000), term(3, 2, 5)) == 60);
  }
}

TEST_CASE("two parts: FLT_MAX by two terms, and one unit of the smaller beyond it") {
  const std::int64_t most = 0xFFFFFF;  // times 2^104
  for (int apart = 0; apart <= 50; ++apart)
    for (const std::int64_t small : {-1, 0, 1}) {
      CASE(apart, small);
      bool saturated = false;
      check_sum(term(most, 104), term(small, 104 - apart));
      const float score =
          kernels::score_sum_ref({-most, kOne, 104}, {-small, kOne, 104 - apart}, 1, &saturated);
      CHECK(saturated == (small > 0));
      CHECK(std::isfinite(score));
    }
}

TEST_CASE("two parts: sums of tensor cores give the same scores, ties of FP32 included") {
  std::mt19937_64 random(8);
  int ties = 0;
  const auto check = [&](std::int64_t acc, std::uint16_t norm, std::int64_t second_acc,
                         std::uint16_t second_norm, std::uint32_t factor, int apart, int exponent) {
    const axelram::ScoreTerm first{acc, norm, 1, exponent};
    const axelram::ScoreTerm second{second_acc, second_norm, factor, exponent + apart};
    bool expected_saturated = false, saturated = false;
    const float expected = axelram::score_sum_ref(first, second, &expected_saturated);
    const double sum = score_of_sums(
        kSumBias + static_cast<std::int32_t>(acc), static_cast<double>(norm_value(norm)),
        kSumBias + static_cast<std::int32_t>(second_acc),
        static_cast<double>(norm_value(second_norm)), std::ldexp(factor, apart));
    const float score = round_score(sum, exponent, &saturated);
    REQUIRE(std::bit_cast<std::uint32_t>(score) == std::bit_cast<std::uint32_t>(expected));
    REQUIRE(saturated == expected_saturated);
  };
  for (int i = 0; i < 500000; ++i) {
    CASE(i);
    const int place = places()[random() % places().size()];
    const auto norm = static_cast<std::uint16_t>(random());
    const auto second_norm = static_cast<std::uint16_t>(random());
    if (i % 2 == 0)
      check(random_acc(random, 21), norm, random_acc(random, 21), second_norm, 1, 0, place);
    else
      check(random_acc(random, 21), norm, random_acc(random, 14), second_norm, 13073851,
            static_cast<int>(random() % 10) - 20, place);
    // An odd product of 25 bits is a tie; the least term, 30 places below, breaks it.
    const std::int64_t acc = random_acc(random, 21) | 1;
    const auto largest = static_cast<std::uint16_t>(0x7C01 | (norm & 0x3FF));
    const std::int64_t product = std::abs(acc) * axelram::decode_norm(largest).significand;
    if (product >> 24 != 1) continue;
    ++ties;
    for (const int small : {-1, 0, 1}) {
      CASE(small);
      check(acc, largest, small, 1, 1, 0, place);
    }
  }
  CHECK(ties > 10000);
}
