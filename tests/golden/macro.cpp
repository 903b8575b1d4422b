#include "axelram/macro.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "axelram/signs.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Raw = std::vector<std::uint16_t>;

std::vector<std::int8_t> seeded_signs(int d) {
  std::vector<std::int8_t> signs(static_cast<std::size_t>(d));
  sign_vector(42, 0, 0, d, signs.data());
  return signs;
}

Macro make_macro(const Parameters& p, const Raw& center = {}, std::size_t max_keys = 64) {
  return Macro(p, seeded_signs(p.head_dim), center, max_keys);
}

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

void check_key(const KeyResult& key, const Raw& x, const Raw& center, const Macro& macro) {
  const Parameters& p = macro.parameters();
  const Rotated rotated = rotate(x, center, p);
  REQUIRE(key.status == KeyStatus::stored);
  REQUIRE(key.exponent == rotated.e);
  const auto n = static_cast<oracle::Int128>(key.root);
  REQUIRE((4 * rotated.square_sum < (2 * n + 1) * (2 * n + 1)));
  if (n > 0) REQUIRE((4 * rotated.square_sum > (2 * n - 1) * (2 * n - 1)));
  REQUIRE((key.root >> p.root_bits()) == 0);
  REQUIRE(((rotated.square_sum >> p.square_sum_bits()) == 0));

  const double norm = std::ldexp(key.root, rotated.e);
  REQUIRE(key.norm_saturated == (norm > 65504));
  REQUIRE(key.norm == (norm > 65504 ? 0x7BFF : oracle::nearest_code(norm, ElementFormat::fp16)));

  const oracle::Int128 unit = oracle::Int128{1} << p.boundary_fraction_bits;
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(std::abs(rotated.y[i]) < 1 << (p.rotated_bits() - 1));
    int index = 0;
    for (const std::int32_t word : macro.rom().boundaries)
      index += rotated.y[i] * unit > word * n ? 1 : 0;
    REQUIRE(key.indices[i] == index);
    for (int bit = 0; bit < p.index_bits; ++bit) {
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
  std::int32_t max = 0;
  for (const std::int32_t value : rotated.y) max = std::max(max, std::abs(value));
  int shift = 0;
  while (max >> shift >= 1 << (p.query_bits - 1)) ++shift;
  REQUIRE(query.status == QueryStatus::scored);
  REQUIRE(query.exponent == rotated.e + shift);
  const double limit = (1 << (p.query_bits - 1)) - 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double rounded = std::nearbyint(std::ldexp(rotated.y[i], -shift));
    REQUIRE(query.u[i] == std::max(-limit, std::min(limit, rounded)));
  }

  REQUIRE(query.scores.size() == keys.size());
  int saturated_count = 0;
  for (std::size_t t = 0; t < keys.size(); ++t) {
    std::int64_t acc = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      acc += std::int64_t{query.u[i]} * macro.rom().centroids[keys[t].indices[i]];
    REQUIRE(query.acc[t] == acc);
    REQUIRE(std::abs(acc) < std::int64_t{1} << (p.accumulator_bits() - 1));
    bool saturated = false;
    const float expected = oracle::score(acc, keys[t].norm, query.exponent, &saturated);
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
    const Raw key = oracle::vector(rng, p.head_dim, p.element_format);
    keys.push_back(macro.write(key.data()));
    check_key(keys.back(), key, center, macro);
  }
  for (int i = 0; i < count; ++i) {
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
          p.head_dim = d;
          p.index_bits = b;
          p.significand_bits = (corner & 1) != 0 ? 20 : 12;
          p.boundary_fraction_bits = (corner & 1) != 0 ? 16 : 10;
          p.query_bits = (corner & 2) != 0 ? 16 : 6;
          p.centroid_bits = (corner & 4) != 0 ? 12 : 6;
          p.element_format = format;
          p.centered = ((corner >> 1) & 1) != 0;
          p.codebook = (corner & 4) != 0 ? CodebookKind::beta : CodebookKind::gaussian;
          check_macro(rng, p, 4);
        }
}

TEST_CASE("the macro equals the contract at random parameters") {
  oracle::Rng rng(19);
  Parameters p;
  for (int trial = 0; trial < 60; ++trial) {
    p.head_dim = 32 << oracle::uniform(rng, 0, 3);
    p.index_bits = oracle::uniform(rng, 2, 4);
    p.significand_bits = oracle::uniform(rng, 12, 20);
    p.boundary_fraction_bits = oracle::uniform(rng, 10, 16);
    p.query_bits = oracle::uniform(rng, 6, 16);
    p.centroid_bits = oracle::uniform(rng, 6, 16);
    p.element_format = oracle::uniform(rng, 0, 1) != 0 ? ElementFormat::fp16 : ElementFormat::bf16;
    p.codebook = oracle::uniform(rng, 0, 1) != 0 ? CodebookKind::gaussian : CodebookKind::beta;
    p.centered = oracle::uniform(rng, 0, 1) != 0;
    check_macro(rng, p, 6);
  }
}

TEST_CASE("the widest values fit the widths the parameters promise") {
  Parameters p;
  p.head_dim = 256;
  p.significand_bits = 20;
  p.query_bits = 16;
  p.centroid_bits = 16;
  p.centered = true;
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
  check_query(macro.query(key.data()), key, {result}, macro);
}

TEST_CASE("refusals: order, counters, nothing stored") {
  Macro macro = make_macro(Parameters{}, {}, 2);
  const Raw good(128, 0x3C00);
  for (std::size_t position = 0; position < 128; ++position) {
    Raw bad = good;
    bad[position] = position % 2 != 0 ? 0x7C00 : 0xFE01;
    const KeyResult key = macro.write(bad.data());
    CHECK(key.status == KeyStatus::refused_nonfinite);
    CHECK(key.record.empty());
    const QueryResult query = macro.query(bad.data());
    CHECK(query.status == QueryStatus::refused_nonfinite);
    CHECK(query.scores.empty());
    CHECK(query.u.empty());
  }
  CHECK(macro.size() == 0);
  CHECK(macro.write(good.data()).status == KeyStatus::stored);
  CHECK(macro.write(good.data()).status == KeyStatus::stored);
  CHECK(macro.write(good.data()).status == KeyStatus::refused_full);
  Raw bad = good;
  bad[127] = 0x7C00;
  CHECK(macro.write(bad.data()).status == KeyStatus::refused_nonfinite);
  CHECK(macro.size() == 2);
  CHECK(macro.query(good.data()).scores.size() == 2);
  CHECK(macro.counters().keys_nonfinite == 129);
  CHECK(macro.counters().queries_nonfinite == 128);
  CHECK(macro.counters().keys_full == 1);

  macro.clear();
  CHECK(macro.size() == 0);
  CHECK(macro.query(good.data()).scores.empty());
  CHECK(macro.write(good.data()).status == KeyStatus::stored);
  CHECK(macro.counters().keys_full == 1);
}

TEST_CASE("a full macro counts neither the norm of the key it refuses") {
  Macro macro = make_macro(Parameters{}, {}, 1);
  const Raw large(128, 0x7BFF);
  CHECK(macro.write(large.data()).norm_saturated);
  CHECK_FALSE(macro.write(large.data()).norm_saturated);
  CHECK(macro.counters().norms_saturated == 1);
}

TEST_CASE("zero keys and zero queries") {
  Macro macro = make_macro(Parameters{});
  const Raw zero(128, 0x8000);
  const Raw one(128, 0x3C00);
  const KeyResult key = macro.write(zero.data());
  CHECK(key.norm == 0);
  CHECK(key.indices == std::vector<std::uint8_t>(128, 0));
  const QueryResult scored = macro.query(one.data());
  CHECK(scored.acc[0] != 0);
  CHECK(scored.scores[0] == 0);
  CHECK_FALSE(std::signbit(scored.scores[0]));
  const QueryResult nothing = macro.query(zero.data());
  CHECK(nothing.exponent == -28);
  CHECK(nothing.u == std::vector<std::int32_t>(128, 0));
}

TEST_CASE("bf16 scores reach both ends of binary32") {
  Parameters p;
  p.element_format = ElementFormat::bf16;
  Macro macro = make_macro(p);
  const Raw huge(128, 0x7F7F);
  const Raw tiny(128, 0x0001);
  oracle::Rng rng(21);
  Raw small_norm;  // elements near 2^-28: the smallest FP16 norm, 2^-24
  for (int i = 0; i < 128; ++i)
    small_norm.push_back(oracle::element(oracle::uniform(rng, 0, 1) != 0, 99,
                                         oracle::uniform(rng, 0, 127), p.element_format));
  CHECK(macro.write(huge.data()).norm_saturated);
  CHECK(macro.write(tiny.data()).norm == 0);
  CHECK(macro.write(small_norm.data()).norm == 1);
  const QueryResult high = macro.query(huge.data());
  CHECK(high.scores[0] == std::numeric_limits<float>::max());
  CHECK(high.saturated == 1);
  CHECK(macro.counters().scores_saturated == 1);
  int underflows[2] = {0, 0};
  for (int trial = 0; trial < 300; ++trial) {
    Raw query(128, 0);
    for (int n = 0; n < 16; ++n)
      query[static_cast<std::size_t>(oracle::uniform(rng, 0, 127))] =
          oracle::element(oracle::uniform(rng, 0, 1) != 0, 0, 1, p.element_format);
    const QueryResult low = macro.query(query.data());
    if (low.acc[2] == 0 || low.scores[2] != 0) continue;
    const bool negative = low.acc[2] < 0;
    CHECK(std::signbit(low.scores[2]) == negative);
    ++underflows[negative ? 1 : 0];
  }
  CHECK(underflows[0] > 0);
  CHECK(underflows[1] > 0);
}

TEST_CASE("records can be read and replaced, corrupted norms included") {
  Macro macro = make_macro(Parameters{});
  const Raw one(128, 0x3C00);
  const KeyResult key = macro.write(one.data());
  macro.write(one.data());
  CHECK(std::vector<std::uint8_t>(macro.record(1), macro.record(1) + 50) == key.record);
  std::vector<std::uint8_t> record = key.record;
  record[48] = 0xFF;
  record[49] = 0xFF;
  macro.set_record(1, record.data());
  const QueryResult query = macro.query(one.data());
  CHECK(query.acc[0] == query.acc[1]);
  CHECK(query.scores[1] == static_cast<float>(std::ldexp(static_cast<double>(query.acc[1]) * 2047,
                                                         query.exponent + 6)));
}

TEST_CASE("scores approximate inner products as the contract measured") {
  const double expected[] = {0.1838, 0.0974};
  for (const int b : {3, 4}) {
    Parameters p;
    p.index_bits = b;
    Macro macro = make_macro(p, {}, 500);
    oracle::Rng rng(20);
    std::normal_distribution<> normal;
    std::vector<std::vector<double>> keys;
    const auto draw = [&] {
      Raw x;
      for (int i = 0; i < 128; ++i) x.push_back(double_to_half(normal(rng)));
      return x;
    };
    for (int t = 0; t < 500; ++t) {
      const Raw key = draw();
      macro.write(key.data());
      keys.push_back(oracle::values(key, ElementFormat::fp16));
    }
    double error = 0;
    double power = 0;
    for (int n = 0; n < 20; ++n) {
      const Raw raw = draw();
      const std::vector<double> query = oracle::values(raw, ElementFormat::fp16);
      const QueryResult result = macro.query(raw.data());
      for (std::size_t t = 0; t < keys.size(); ++t) {
        double exact = 0;
        for (std::size_t i = 0; i < 128; ++i) exact += query[i] * keys[t][i];
        const double difference = result.scores[t] * macro.rom().score_scale - exact;
        error += difference * difference;
        power += exact * exact;
      }
    }
    const double relative = std::sqrt(error / power);
    INFO("relative error ", relative);
    CHECK(std::abs(relative / expected[b - 3] - 1) < 0.03);
  }
}

TEST_CASE("illegal construction") {
  Parameters p;
  CHECK_THROWS_AS(Macro(p, std::vector<std::int8_t>(127, 1), {}, 1), std::invalid_argument);
  CHECK_THROWS_AS(Macro(p, std::vector<std::int8_t>(128, 0), {}, 1), std::invalid_argument);
  CHECK_THROWS_AS(make_macro(p, Raw(128, 0)), std::invalid_argument);
  p.centered = true;
  CHECK_THROWS_AS(make_macro(p), std::invalid_argument);
  CHECK_THROWS_AS(make_macro(p, Raw(128, 0x7C00)), std::invalid_argument);
  CHECK_NOTHROW(make_macro(p, Raw(128, 0x7BFF)));
  p.query_bits = 17;
  CHECK_THROWS_AS(make_macro(p, Raw(128, 0)), std::invalid_argument);
}
