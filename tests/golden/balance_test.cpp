// Exponents of the macro (bit-contract.md#exponents).
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <stdexcept>

#include "axelram/align.hpp"
#include "axelram/attention_macro.hpp"
#include "axelram/center.hpp"
#include "axelram/macro.hpp"
#include "check.hpp"
#include "golden/contract_vectors.hpp"
#include "golden/oracle.hpp"

using namespace axelram;
using namespace contract_vectors;

namespace {

using Exponents = std::vector<std::int8_t>;

HeadRotation balanced_rotation(const Parameters& p, Exponents exponents) {
  HeadRotation rotation = seeded_rotation(p, kDefaultSeed, 0, 0);
  rotation.balance = std::move(exponents);
  return rotation;
}

Macro balanced_macro(Parameters p, Exponents exponents, std::vector<std::uint16_t> center = {}) {
  p.balanced = true;
  p.centered = !center.empty();
  return Macro(p, balanced_rotation(p, std::move(exponents)), std::move(center), 4);
}

/// The same exponent for channels p and p + d / 2.
Exponents of_pairs(int d, const std::function<int(int pair)>& exponent) {
  Exponents exponents;
  for (int i = 0; i < d; ++i) exponents.push_back(static_cast<std::int8_t>(exponent(i % (d / 2))));
  return exponents;
}

struct Expected {
  std::uint32_t crc;
  std::array<std::uint8_t, 8> first_bytes;
  std::uint16_t norm;
  std::int64_t acc;
  std::uint32_t score;
};

void check_vector(const Exponents& exponents, const std::vector<std::uint16_t>& center,
                  const Expected& expected) {
  Macro macro = balanced_macro({}, exponents, center);
  const KeyResult key = macro.write(vector_of_seed(1, 128).data());
  CHECK(crc32(key.record) == expected.crc);
  for (std::size_t i = 0; i < expected.first_bytes.size(); ++i)
    CHECK_AT(i, key.record[i] == expected.first_bytes[i]);
  CHECK(key.norm == expected.norm);
  const QueryResult query = macro.query(vector_of_seed(2, 128).data());
  CHECK(query.acc[0] == expected.acc);
  CHECK(std::bit_cast<std::uint32_t>(query.scores[0]) == expected.score);
}

Exponents random_powers(oracle::Rng& rng, std::size_t d) {
  Exponents powers(d);
  for (std::int8_t& power : powers) power = static_cast<std::int8_t>(oracle::uniform(rng, -8, 8));
  return powers;
}

/// Binade of an element, that of the smallest normal for all below, plus its power.
int exponent_of(double value, int power, ElementFormat format) {
  return oracle::max_exponent({value}, format) + power;
}

}  // namespace

TEST_CASE("balance: vectors of the contract") {
  check_vector(
      of_pairs(128, [](int) { return 0; }), {},
      {0xE90878AD, {0xA4, 0x56, 0x9A, 0xA2, 0x93, 0xCC, 0x0B, 0x50}, 0x493C, 10912, 0x46DF1D80});
  const Exponents slope = of_pairs(128, [](int pair) { return pair % 8 - 4; });
  check_vector(
      slope, {},
      {0x43853606, {0x65, 0x59, 0x96, 0xC9, 0x94, 0x4C, 0x01, 0x90}, 0x5416, -3839, 0xC87517A8});
  check_vector(
      slope, vector_of_seed(3, 128),
      {0xE6C31CE7, {0x66, 0x59, 0x96, 0xC9, 0x94, 0x4C, 0x01, 0x90}, 0x541D, 5604, 0x48B415A8});
  check_vector(
      of_pairs(128, [](int pair) { return pair % 4 - 2; }), {},
      {0x21370DB7, {0x9B, 0xE6, 0xBA, 0x13, 0x13, 0x89, 0x00, 0x40}, 0x4DA6, 8069, 0x4732093E});
  check_vector(
      of_pairs(128, [](int pair) { return pair % 2 == 0 ? 7 : -8; }), {},
      {0x52179A58, {0xDC, 0x58, 0x55, 0xEA, 0x31, 0xAA, 0xD5, 0x58}, 0x67B8, 0, 0x00000000});
}

TEST_CASE("balance: align and center equal the definition") {
  oracle::Rng rng(11);
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16})
    for (const int d : {32, 64, 128, 256})
      for (int width = 12; width <= 20; width += 4)
        for (int repeat = 0; repeat < 60; ++repeat) {
          CASE(format, d, width, repeat);
          const std::vector<std::uint16_t> x = oracle::vector(rng, d, format);
          const std::vector<std::uint16_t> c = oracle::vector(rng, d, format);
          const Exponents powers = random_powers(rng, x.size());
          const std::vector<double> values = oracle::values(x, format);
          const std::vector<double> centers = oracle::values(c, format);
          int largest = -1000;
          for (std::size_t i = 0; i < x.size(); ++i)
            largest = std::max(largest, exponent_of(values[i], powers[i], format));
          std::vector<std::int32_t> m(x.size());
          int e = 0;
          REQUIRE(align_ref(x.data(), d, format, width, m.data(), &e, powers.data()));
          REQUIRE(e == largest - (width - 2));
          for (std::size_t i = 0; i < x.size(); ++i)
            REQUIRE_AT(i, m[i] == oracle::aligned(values[i], e - powers[i]));
          largest = std::max(largest, oracle::max_exponent(centers, format));
          REQUIRE(center_ref(x.data(), c.data(), d, format, width, m.data(), &e, powers.data()));
          REQUIRE(e == largest - (width - 2));
          for (std::size_t i = 0; i < x.size(); ++i)
            REQUIRE_AT(i, m[i] == oracle::aligned(values[i], e - powers[i]) -
                                      oracle::aligned(centers[i], e));
        }
}

TEST_CASE("balance: a zero counts with its exponent") {
  std::vector<std::uint16_t> x(32, 0);
  x[0] = 0x0001;  // 2^-24
  Exponents powers(32, 0);
  powers[1] = 8;
  std::vector<std::int32_t> m(32);
  int e = 0;
  REQUIRE(align_ref(x.data(), 32, ElementFormat::fp16, 16, m.data(), &e, powers.data()));
  CHECK(e == -14 + 8 - 14);
  CHECK(m[0] == 0);  // 2^-24 is a sixteenth of the last place
  powers[1] = 5;
  REQUIRE(align_ref(x.data(), 32, ElementFormat::fp16, 16, m.data(), &e, powers.data()));
  CHECK(m[0] == 0);  // a tie goes to even
  powers[1] = 4;
  REQUIRE(align_ref(x.data(), 32, ElementFormat::fp16, 16, m.data(), &e, powers.data()));
  CHECK(m[0] == 1);
}

TEST_CASE("balance: a key beyond the range of its format has a saturated norm") {
  const std::vector<std::uint16_t> largest(64, 0x7BFF);
  Parameters p;
  p.head_dim = 64;
  Macro macro = balanced_macro(p, Exponents(64, -8));
  const KeyResult key = macro.write(largest.data());
  CHECK(key.status == KeyStatus::stored);
  CHECK(key.norm == 0x7BFF);
  CHECK(key.norm_saturated);
  CHECK(macro.write(std::vector<std::uint16_t>(64, 0x7C00).data()).status ==
        KeyStatus::rejected_nonfinite);
}

// Powers of two are exact: a balanced macro is a macro of scaled vectors, where they are in range.
TEST_CASE("balance: equals a macro of keys and queries that are scaled before") {
  oracle::Rng rng(12);
  for (const bool trellis : {false, true})
    for (int repeat = 0; repeat < 20; ++repeat) {
      CASE(trellis, repeat);
      Parameters p;
      p.head_dim = 64;
      p.scale = ScaleKind::unbiased;
      p.kind = trellis ? QuantizerKind::trellis : QuantizerKind::mse;
      std::vector<std::uint16_t> key(64), query(64), scaled_key(64), scaled_query(64);
      Exponents exponents(64);
      for (std::size_t i = 0; i < key.size(); ++i) {
        exponents[i] = static_cast<std::int8_t>(oracle::uniform(rng, -8, 7));
        const int shift = 1024 * exponents[i];
        key[i] = oracle::element(oracle::uniform(rng, 0, 1) != 0, oracle::uniform(rng, 10, 20),
                                 oracle::uniform(rng, 0, 1023), p.element_format);
        query[i] = oracle::element(oracle::uniform(rng, 0, 1) != 0, oracle::uniform(rng, 10, 20),
                                   oracle::uniform(rng, 0, 1023), p.element_format);
        scaled_key[i] = static_cast<std::uint16_t>(key[i] - shift);
        scaled_query[i] = static_cast<std::uint16_t>(query[i] + shift);
      }
      Macro balanced = balanced_macro(p, exponents);
      Macro plain(p, seeded_rotation(p, kDefaultSeed, 0, 0), {}, 4);
      CHECK_SAME(balanced.write(key.data()).record, plain.write(scaled_key.data()).record);
      const QueryResult of_balanced = balanced.query(query.data());
      const QueryResult of_plain = plain.query(scaled_query.data());
      CHECK_SAME(of_balanced.u, of_plain.u);
      CHECK(of_balanced.exponent == of_plain.exponent);
      CHECK_SAME(of_balanced.scores, of_plain.scores);
    }
}

TEST_CASE("balance: values are not balanced") {
  Parameters p;
  p.head_dim = 32;
  p.scale = ScaleKind::unbiased;
  AttentionParameters attention;
  attention.scale = 0.125;
  const std::vector<std::uint16_t> key = vector_of_seed(1, 32), value = vector_of_seed(2, 32);
  const auto appended = [&](bool balanced) {
    p.balanced = balanced;
    AttentionMacro macro(p, attention,
                         {{balanced ? balanced_rotation(p, Exponents(32, 3))
                                    : seeded_rotation(p, kDefaultSeed, 0, 0),
                           {}}},
                         1, 4);
    REQUIRE(macro.allocate(0, {0, 4, 0}));
    return macro.append(0, key.data(), value.data());
  };
  const TokenResult balanced = appended(true), plain = appended(false);
  CHECK_SAME(balanced.value.record, plain.value.record);
  CHECK(balanced.key.norm + (3 << 10) == plain.key.norm);
}

TEST_CASE("balance: exponents that a macro cannot have") {
  Parameters p;
  p.head_dim = 32;
  p.balanced = true;
  const auto make = [&](Exponents exponents) {
    return Macro(p, balanced_rotation(p, std::move(exponents)), {}, 1);
  };
  make(Exponents(32, 7));
  make(Exponents(32, -8));
  CHECK_THROWS_AS(make(Exponents(32, 8)), std::invalid_argument);
  CHECK_THROWS_AS(make(Exponents(32, -9)), std::invalid_argument);
  CHECK_THROWS_AS(make(Exponents(31, 0)), std::invalid_argument);
  CHECK_THROWS_AS(make({}), std::invalid_argument);
  p.balanced = false;
  CHECK_THROWS_AS(make(Exponents(32, 0)), std::invalid_argument);
}
