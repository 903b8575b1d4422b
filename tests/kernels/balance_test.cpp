// Keys and queries that are taken times powers of two (bit-contract.md#exponents).
#include <algorithm>
#include <memory>

#include "axelram/kernels/feedback.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/write.hpp"
#include "check.hpp"
#include "two_parts.hpp"
#include "written_keys.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

/// Keys of every kind, three heads of different exponents.
void check_write(Parameters p, std::uint64_t seed) {
  p.balanced = true;
  CASE(p.head_dim, p.index_bits, p.significand_bits, static_cast<int>(p.element_format), p.centered,
       static_cast<int>(p.scale), p.trellis(), p.copies(), p.two_parts());
  HostRows keys = dense(13, 3, p);
  keys.fill(p, seed);
  const Heads heads(p, keys.heads, seed);
  const Written expected = golden(p, keys, heads);
  check_equal(run(write_keys, p, keys, heads, expected), expected);
  check_equal(run(write_keys_general, p, keys, heads, expected), expected);
}

/// Exponents of each head between two ends that are as far apart as the head's number, whose place
/// in the range differs from head to head. The first 32 alone have the least one, if they are far
/// apart.
void spread_exponents(int d, std::size_t heads, Random& random, Heads* to) {
  to->balance.clear();
  for (std::size_t h = 0; h < heads; ++h) {
    const int spread = static_cast<int>(h);
    const int least = between(random, kLeastExponent, kMostExponent - spread);
    for (int i = 0; i < d; ++i) {
      const int from = i < 32 ? 0 : spread / 4;
      const int above = i == 0 ? 0 : i == 1 ? spread : between(random, from, spread);
      to->balance.push_back(static_cast<std::int8_t>(least + above));
    }
  }
}

/// Rows of elements up to 15 binades below 2^field of the row's largest ones, ties of ALIGN among
/// them; some are zero, some subnormal.
void fill_below(const Parameters& p, const std::vector<int>& fields, Random& random,
                HostRows* keys) {
  const int fraction_bits = p.element_format == ElementFormat::fp16 ? 10 : 7;
  const int ones = (1 << fraction_bits) - 1;
  keys->elements.assign(keys->tokens * keys->token_stride, 0);
  for (std::size_t row = 0; row < keys->tokens * keys->heads; ++row)
    for (int i = 0; i < p.head_dim; ++i) {
      const int field = std::max(fields[row / keys->heads] - between(random, 0, 15), 0);
      const int kind = between(random, 0, 5);
      const int fraction = kind == 0   ? 0
                           : kind == 1 ? 1
                           : kind == 2 ? ones
                                       : between(random, 0, ones);
      const int sign = between(random, 0, 1) << 15;
      keys->at(row)[i] = static_cast<std::uint16_t>(sign | field << fraction_bits | fraction);
    }
}

}  // namespace

TEST_CASE("balance: every largest exponent field, every distance of the exponents") {
  constexpr std::size_t kHeads = 16;
  Random random(3);
  for (const auto format : {ElementFormat::fp16, ElementFormat::bf16})
    for (const int w : {12, 16})
      for (const bool centered : {false, true}) {
        CASE(format, w, centered);
        Parameters p{.head_dim = 64,
                     .significand_bits = w,
                     .element_format = format,
                     .scale = centered ? ScaleKind::unbiased : ScaleKind::norm,
                     .centered = centered};
        p.balanced = true;
        std::vector<int> fields;
        const int most = format == ElementFormat::fp16 ? 30 : 254;
        for (int field = 0; field <= most; ++field)
          if (field <= 40 || field >= most - 12) fields.push_back(field);
        HostRows keys = dense(fields.size(), kHeads, p);
        fill_below(p, fields, random, &keys);
        Heads heads(p, kHeads, static_cast<std::uint64_t>(w));
        spread_exponents(p.head_dim, kHeads, random, &heads);
        const Written expected = golden(p, keys, heads);
        check_equal(run(write_keys, p, keys, heads, expected), expected);
        check_equal(run(write_keys_general, p, keys, heads, expected), expected);
      }
}

TEST_CASE("balance: both kernels equal golden for every dimension, index width, format, center") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const auto format : {ElementFormat::fp16, ElementFormat::bf16})
        for (const bool centered : {false, true}) {
          CASE(d, b, format, centered);
          Parameters p{
              .head_dim = d, .index_bits = b, .element_format = format, .centered = centered};
          check_write(p, seed++);
          p.scale = ScaleKind::unbiased;
          check_write(p, seed++);
          p.exact_last = 1;
          check_write(p, seed++);
          p.kind = QuantizerKind::trellis;
          check_write(p, seed++);
        }
}

TEST_CASE("balance: both kernels equal golden at the ends of the significand's range") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (const int w : {12, 17, 20})
      for (const auto format : {ElementFormat::fp16, ElementFormat::bf16})
        for (const bool centered : {false, true}) {
          CASE(d, w, format, centered);
          check_write({.head_dim = d,
                       .significand_bits = w,
                       .element_format = format,
                       .centered = centered},
                      seed++);
        }
}

TEST_CASE("balance: records of two parts equal golden") {
  std::uint64_t seed = 1;
  for (const int d : {32, 64, 128, 256})
    for (Parameters p : some_two_parts(d, static_cast<int>(seed % 3))) {
      p.element_format = seed % 2 == 0 ? ElementFormat::fp16 : ElementFormat::bf16;
      p.centered = seed % 3 == 0;
      CASE(d, seed, p);
      check_write(p, seed++);
    }
}

TEST_CASE("balance: missing exponents are named") {
  Stream stream;
  Parameters p;
  p.balanced = true;
  p.scale = ScaleKind::unbiased;
  const Buffer<std::uint16_t> elements(128);
  const Buffer<std::int8_t> signs(128);
  const ElementRows rows = ElementRows::dense(elements.data(), 1, 1, 128);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  const auto lacking = doctest::Contains("no exponents, though constants.balanced");
  CHECK_THROWS_WITH_AS(write_keys(stream, c, rows, signs.data(), nullptr, {}), lacking,
                       DeviceError);
  CHECK_THROWS_WITH_AS(write_keys_general(stream, c, rows, signs.data(), nullptr, {}), lacking,
                       DeviceError);
  CHECK_THROWS_WITH_AS(write_keys_with_feedback(stream, c, {}, rows, signs.data(), nullptr, {}),
                       lacking, DeviceError);
  CHECK_THROWS_WITH_AS(round_queries(stream, c, rows, 1, signs.data(), {}, nullptr), lacking,
                       DeviceError);
}
