#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "axelram/half.hpp"
#include "axelram/kernels/scores.hpp"
#include "golden_scores.hpp"
#include "two_parts.hpp"
#include "units/score.cuh"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

constexpr std::uint16_t kOne = 0x3C00;  // 1024 * 2^-10

/// The unit and golden's at two terms, to the last bit.
float check_sum(const axelram::ScoreTerm& a, const axelram::ScoreTerm& b) {
  bool expected_saturated = false, saturated = false;
  const float expected = axelram::score_sum_ref(a, b, &expected_saturated);
  const float score = kernels::score_sum_ref({a.acc, a.norm, a.exponent},
                                             {b.acc, b.norm, b.exponent}, b.factor, &saturated);
  CAPTURE(a.acc);
  CAPTURE(a.norm);
  CAPTURE(a.exponent);
  CAPTURE(b.acc);
  CAPTURE(b.norm);
  CAPTURE(b.factor);
  CAPTURE(b.exponent);
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
            check_sum(term(sign * ((1 << 24) + odd), place), term(small, place - apart));
            check_sum(term(small, place - apart), term(sign * ((1 << 24) + odd), place));
            check_sum(term(small, place),
                      term(sign * ((1LL << 38) + odd), place - 50 + apart / 2, 3));
          }
}

TEST_CASE("two parts: a term of 0 has no say in the exponent, however far it lies") {
  for (int far = -9999; far <= 9999; far += 3) {
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
      bool saturated = false;
      check_sum(term(most, 104), term(small, 104 - apart));
      const float score =
          kernels::score_sum_ref({-most, kOne, 104}, {-small, kOne, 104 - apart}, 1, &saturated);
      CHECK(saturated == (small > 0));
      CHECK(std::isfinite(score));
    }
}

namespace {

struct PartCase {
  std::size_t queries, tokens;
  std::vector<std::int32_t> exponents, residual_exponents;
};

/// Scores and sums of the kernel and of golden. Exponents: one for each query.
void check_parts(const Parameters& p, const std::vector<std::int32_t>& u,
                 const std::vector<std::int32_t>& v, const PartCase& c,
                 const std::vector<std::uint8_t>& records) {
  CAPTURE(text_of(p));
  const CodebookRom rom = codebook_rom(p);
  const std::size_t d = static_cast<std::size_t>(p.head_dim), all = c.queries * c.tokens;
  std::vector<std::int64_t> acc, residual_acc;
  std::vector<float> scores(all);
  std::uint32_t saturated = 5;
  for (std::size_t q = 0; q < c.queries; ++q) {
    std::vector<std::int64_t> first(c.tokens), second(c.tokens);
    const std::array<ScorePart, 2> parts =
        score_parts_of(p, rom, u.data() + q * d, c.exponents[q],
                       p.prod() ? v.data() + q * d : nullptr, c.residual_exponents[q]);
    saturated += static_cast<std::uint32_t>(score_parts_ref(parts[0], parts[1], records.data(),
                                                            c.tokens, scores.data() + q * c.tokens,
                                                            first.data(), second.data()));
    for (std::size_t t = 0; t < c.tokens; ++t) {
      acc.push_back(first[t]);
      (p.prod() ? residual_acc : acc).push_back(second[t]);
    }
  }
  Stream stream;
  const Buffer<std::uint8_t> device_records(stream, records);
  const Buffer<std::int32_t> device_u(stream, u), device_v(stream, v),
      exponents(stream, c.exponents), residual_exponents(stream, c.residual_exponents);
  const Buffer<std::int64_t> device_acc(acc.size()), device_residual(residual_acc.size());
  const Buffer<float> device_scores(all);
  const Buffer<std::uint32_t> device_saturated(stream, std::vector<std::uint32_t>{5});
  const RoundedVectors queries{device_u.data(), exponents.data(), device_v.data(),
                               residual_exponents.data(), c.queries};
  const MacroConstants constants = macro_constants(p, rom);
  score_parts(
      stream, constants, queries, device_records.data(), c.tokens,
      {device_scores.data(), device_acc.data(), device_residual.data(), device_saturated.data()});
  REQUIRE(device_acc.download(stream) == acc);
  REQUIRE(device_residual.download(stream) == residual_acc);
  REQUIRE(bits_of(device_scores.download(stream)) == bits_of(scores));
  REQUIRE(device_saturated.download(stream)[0] == saturated);
  const Buffer<float> alone(all);
  score_parts(stream, constants, queries, device_records.data(), c.tokens,
              {alone.data(), nullptr, nullptr, nullptr});
  REQUIRE(bits_of(alone.download(stream)) == bits_of(scores));
}

PartCase part_case(const Parameters& p, std::size_t queries, std::size_t tokens) {
  // Residual exponents as far from the others as a second rotation can move them.
  static constexpr int kOdd[] = {-12, -101, 81, -130, -149, -165, 95, 110, 128, 9000, -9000};
  PartCase c{queries, tokens, {}, {}};
  for (std::size_t q = 0; q < queries; ++q) {
    c.exponents.push_back(kOdd[q % std::size(kOdd)]);
    c.residual_exponents.push_back(
        c.exponents.back() + static_cast<int>(q % static_cast<std::size_t>(p.log2_dim() + 2)));
  }
  return c;
}

void check_random_parts(const Parameters& p, std::size_t queries, std::size_t tokens) {
  const std::size_t values = queries * static_cast<std::size_t>(p.head_dim);
  const auto u = random_queries<std::int32_t>(values, p.query_bits, 4);
  const auto v = random_queries<std::int32_t>(p.prod() ? values : 0, p.query_bits, 5);
  check_parts(p, u, v, part_case(p, queries, tokens),
              random_bytes(tokens * static_cast<std::size_t>(p.record_bytes()), 3));
}

}  // namespace

TEST_CASE("two parts: scores of row-major records of every kind and width") {
  for (const int d : {32, 64, 128, 256})
    for (Parameters p : all_two_parts(d))
      for (const int bits : {6, 8, 16}) {
        p.query_bits = p.centroid_bits = bits;
        check_random_parts(p, 3, 9);
      }
}

TEST_CASE("two parts: scores of ragged and empty sizes, many blocks, odd exponents") {
  for (const Parameters& p : some_two_parts(128, 1)) {
    check_random_parts(p, 22, 129);
    check_random_parts(p, 1, 1);
    check_random_parts(p, 0, 100);
    check_random_parts(p, 100, 0);
  }
}

TEST_CASE("two parts: scores of records whose terms cancel") {
  // Sub-vectors of equal indices, and queries of opposite signs in both: equal norms cancel.
  Parameters p = split_of(64, 2, 2, 0);
  const std::size_t half = 32;
  std::vector<std::uint8_t> records;
  std::mt19937_64 random(6);
  for (int t = 0; t < 60; ++t) {
    const std::vector<std::uint8_t> indices = random_bytes(half / 4, static_cast<std::uint64_t>(t));
    const auto norm = static_cast<std::uint16_t>(random());
    const auto other = static_cast<std::uint16_t>(t % 3 == 0 ? norm : norm + 1 + t % 3);
    records.insert(records.end(), indices.begin(), indices.end());
    records.insert(records.end(), indices.begin(), indices.end());
    for (const std::uint16_t n : {norm, other})
      for (const int shift : {0, 8}) records.push_back(static_cast<std::uint8_t>(n >> shift));
  }
  const std::size_t queries = 11;
  auto u = random_queries<std::int32_t>(queries * 2 * half, p.query_bits, 7);
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0; i < half; ++i) u[(2 * q + 1) * half + i] = -u[2 * q * half + i];
  check_parts(p, u, {}, part_case(p, queries, 60), records);
}

TEST_CASE("two parts: what cannot be scored is rejected by name") {
  Stream stream;
  const Parameters one, prod = prod_of(128, 3);
  const Buffer<std::int32_t> words(256);
  const Buffer<float> scores(4);
  const auto score = [&](const Parameters& p, const RoundedVectors& queries, float* to) {
    score_parts(stream, macro_constants(p, codebook_rom(p)), queries, nullptr, 1, {to});
  };
  const RoundedVectors good{words.data(), words.data(), words.data(), words.data(), 1};
  CHECK_THROWS_WITH_AS(score(one, good, scores.data()), doctest::Contains("one part"), DeviceError);
  CHECK_THROWS_WITH_AS(score(prod, good, nullptr), doctest::Contains("no scores"), DeviceError);
  RoundedVectors wrong = good;
  wrong.v = nullptr;
  CHECK_THROWS_WITH_AS(score(prod, wrong, scores.data()), doctest::Contains("no second rotation"),
                       DeviceError);
  wrong.u = nullptr;
  CHECK_THROWS_WITH_AS(score(prod, wrong, scores.data()), doctest::Contains("no queries"),
                       DeviceError);
  CHECK_THROWS_WITH_AS(score_records(stream, macro_constants(prod, codebook_rom(prod)), nullptr,
                                     nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr),
                       doctest::Contains("two parts"), DeviceError);
}
