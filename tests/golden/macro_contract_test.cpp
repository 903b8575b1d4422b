#include "axelram/macro.hpp"
#include "check.hpp"
#include "golden/macro_fixture.hpp"
#include "golden/oracle.hpp"

using namespace axelram;
using namespace macro_fixture;

namespace {

struct Rotated {
  int e;
  oracle::Int128 square_sum;
  std::vector<std::int32_t> y;
};

/// ALIGN, CENTER and ROTATE from the definitions.
Rotated rotate(const Raw& x, const Raw& center, const Parameters& p) {
  const std::vector<double> values = oracle::values(x, p.element_format);
  const std::vector<double> centers = oracle::values(center, p.element_format);
  Rotated result{};
  result.e = std::max(oracle::max_exponent(values, p.element_format),
                      oracle::max_exponent(centers, p.element_format)) -
             (p.significand_bits - 2);
  const std::vector<std::int8_t> signs = seeded_signs(p.head_dim);
  std::vector<std::int32_t> m;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::int32_t value = oracle::aligned(values[i], result.e);
    if (!center.empty()) value -= oracle::aligned(centers[i], result.e);
    result.square_sum += static_cast<oracle::Int128>(value) * value;
    m.push_back(value * signs[i]);
  }
  result.y = oracle::hadamard(m);
  return result;
}

/// Requires that `elements` are y / 2^shift, rounded and clamped to `bits` bits; returns shift.
template <class Element>
int check_rounded(const std::vector<Element>& elements, const std::vector<std::int32_t>& y,
                  int bits) {
  std::int32_t max = 0;
  for (const std::int32_t value : y) max = std::max(max, std::abs(value));
  int shift = 0;
  while (max >> shift >= 1 << (bits - 1)) ++shift;
  const double limit = (1 << (bits - 1)) - 1;
  REQUIRE(elements.size() == y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    CASE(i);
    const double rounded = std::nearbyint(std::ldexp(y[i], -shift));
    REQUIRE(elements[i] == std::max(-limit, std::min(limit, rounded)));
  }
  return shift;
}

void check_key(const KeyResult& key, const Raw& x, const Raw& center, const Macro& macro) {
  const Parameters& p = macro.parameters();
  const Rotated rotated = rotate(x, center, p);
  REQUIRE(key.status == KeyStatus::stored);
  REQUIRE(key.exponent == rotated.e);
  const auto n = static_cast<oracle::Int128>(key.root);
  REQUIRE(4 * rotated.square_sum < (2 * n + 1) * (2 * n + 1));
  if (n > 0) REQUIRE(4 * rotated.square_sum > (2 * n - 1) * (2 * n - 1));
  REQUIRE((key.root >> p.root_bits()) == 0);
  REQUIRE((rotated.square_sum >> p.square_sum_bits()) == 0);

  if (p.scale == ScaleKind::norm) {  // scale_test.cpp has the other
    const double norm = std::ldexp(key.root, rotated.e);
    REQUIRE(key.norm_saturated == (norm > 65504));
    REQUIRE(key.norm == (norm > 65504 ? 0x7BFF : oracle::nearest_code(norm, ElementFormat::fp16)));
  }
  if (p.copies() != 0)
    REQUIRE(key.copy.exponent ==
            rotated.e + check_rounded(key.copy.elements, rotated.y, p.exact_bits));

  const oracle::Int128 unit = oracle::Int128{1} << p.boundary_fraction_bits;
  for (std::size_t i = 0; i < x.size(); ++i) {
    CASE(i);
    REQUIRE(std::abs(rotated.y[i]) < 1 << (p.rotated_bits() - 1));
    int index = 0;
    for (const std::int32_t word : macro.rom().boundaries)
      index += rotated.y[i] * unit > word * n ? 1 : 0;
    REQUIRE(key.indices[i] == index);
    for (int bit = 0; bit < p.index_bits; ++bit) {
      CASE(bit);
      const auto position =
          i * static_cast<std::size_t>(p.index_bits) + static_cast<std::size_t>(bit);
      REQUIRE((key.record[position / 8] >> (position % 8) & 1) == (index >> bit & 1));
    }
  }
  const std::size_t bytes = key.record.size();
  REQUIRE(bytes == static_cast<std::size_t>(p.record_bytes()));
  REQUIRE((key.record[bytes - 2] | key.record[bytes - 1] << 8) == key.norm);
}

void check_query(const QueryResult& query, const Raw& x, const std::vector<KeyResult>& keys,
                 const Macro& macro) {
  const Parameters& p = macro.parameters();
  const Rotated rotated = rotate(x, {}, p);
  REQUIRE(query.status == QueryStatus::scored);
  REQUIRE(query.exponent == rotated.e + check_rounded(query.u, rotated.y, p.query_bits));

  REQUIRE(query.scores.size() == keys.size());
  REQUIRE(query.exact.size() == (p.copies() != 0 ? keys.size() : 0));
  int saturated_count = 0;
  for (std::size_t t = 0; t < keys.size(); ++t) {
    CASE(t);
    const bool exact =
        static_cast<int>(t) < p.exact_first || static_cast<int>(keys.size() - t) <= p.exact_last;
    if (p.copies() != 0) REQUIRE(query.exact[t] == (exact ? 1 : 0));
    std::int64_t acc = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      acc += std::int64_t{query.u[i]} *
             (exact ? keys[t].copy.elements[i] : macro.rom().centroids[keys[t].indices[i]]);
    REQUIRE(query.acc[t] == acc);
    const int width = exact ? p.copy_accumulator_bits() : p.accumulator_bits();
    REQUIRE(std::abs(acc) < std::int64_t{1} << (width - 1));
    constexpr std::uint16_t kOne = 0x3C00;
    bool saturated = false;
    const float expected =
        exact
            ? oracle::score(acc, kOne, query.exponent + keys[t].copy.exponent + p.centroid_bits - 2,
                            &saturated)
            : oracle::score(acc, keys[t].norm, query.exponent, &saturated);
    REQUIRE(query.scores[t] == expected);
    REQUIRE(std::signbit(query.scores[t]) == std::signbit(expected));
    saturated_count += saturated ? 1 : 0;
  }
  REQUIRE(query.saturated == saturated_count);
}

void check_macro(oracle::Rng& rng, const Parameters& p, int count) {
  const Raw center = p.centered ? oracle::vector(rng, p.head_dim, p.element_format) : Raw{};
  Macro macro = make_macro(p, center);
  std::vector<KeyResult> keys;
  for (int i = 0; i < count; ++i) {
    CASE(i);
    const Raw key = oracle::vector(rng, p.head_dim, p.element_format);
    keys.push_back(macro.write(key.data()));
    check_key(keys.back(), key, center, macro);
  }
  for (int i = 0; i < count; ++i) {
    CASE(i);
    const Raw query = oracle::vector(rng, p.head_dim, p.element_format);
    check_query(macro.query(query.data()), query, keys, macro);
  }
}

}  // namespace

TEST_CASE("the macro equals the contract at every corner of the parameters") {
  oracle::Rng rng(18);
  Parameters p;
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const int corner : {0, 1, 2, 3, 4, 5, 6, 7})
        for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16}) {
          CASE(d, b, corner, format);
          p.head_dim = d;
          p.index_bits = b;
          p.significand_bits = (corner & 1) != 0 ? 20 : 12;
          p.boundary_fraction_bits = (corner & 1) != 0 ? 16 : 10;
          p.query_bits = (corner & 2) != 0 ? 16 : 6;
          p.centroid_bits = (corner & 4) != 0 ? 12 : 6;
          p.element_format = format;
          p.centered = ((corner >> 1) & 1) != 0;
          p.codebook = (corner & 4) != 0 ? CodebookKind::beta : CodebookKind::gaussian;
          const bool exact = (corner & 1) != 0;
          p.scale = exact ? ScaleKind::unbiased : ScaleKind::norm;
          p.exact_first = exact ? 1 : 0;
          p.exact_last = exact ? 2 : 0;
          p.exact_bits = (corner & 4) != 0 ? 16 : 12;
          check_macro(rng, p, 4);
        }
}

TEST_CASE("the macro equals the contract at random parameters") {
  oracle::Rng rng(19);
  Parameters p;
  for (int trial = 0; trial < 60; ++trial) {
    CASE(trial);
    p.head_dim = 32 << oracle::uniform(rng, 0, 3);
    p.index_bits = oracle::uniform(rng, 2, 4);
    p.significand_bits = oracle::uniform(rng, 12, 20);
    p.boundary_fraction_bits = oracle::uniform(rng, 10, 16);
    p.query_bits = oracle::uniform(rng, 6, 16);
    p.centroid_bits = oracle::uniform(rng, 6, 16);
    p.element_format = oracle::uniform(rng, 0, 1) != 0 ? ElementFormat::fp16 : ElementFormat::bf16;
    p.codebook = oracle::uniform(rng, 0, 1) != 0 ? CodebookKind::gaussian : CodebookKind::beta;
    p.centered = oracle::uniform(rng, 0, 1) != 0;
    const bool exact = oracle::uniform(rng, 0, 1) != 0;
    p.scale = exact ? ScaleKind::unbiased : ScaleKind::norm;
    p.exact_first = exact ? oracle::uniform(rng, 0, 4) : 0;
    p.exact_last = exact ? oracle::uniform(rng, 0, 7) : 0;
    p.exact_bits = oracle::uniform(rng, 12, 16);
    check_macro(rng, p, 6);
  }
}

TEST_CASE("the widest values fit the widths the parameters promise") {
  Parameters p{.head_dim = 256,
               .significand_bits = 20,
               .query_bits = 16,
               .centroid_bits = 16,
               .scale = ScaleKind::unbiased,
               .centered = true,
               .exact_first = 1};
  const std::vector<std::int8_t> signs = seeded_signs(256);
  Raw key;
  Raw center;
  for (const std::int8_t sign : signs) {
    key.push_back(oracle::largest(sign < 0, p.element_format));
    center.push_back(oracle::largest(sign > 0, p.element_format));
  }
  Macro macro = make_macro(p, center);
  const KeyResult result = macro.write(key.data());
  check_key(result, key, center, macro);
  macro.write(key.data());  // scored from its record
  check_query(macro.query(key.data()), key, {result, result}, macro);
}
