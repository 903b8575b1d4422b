#include "axelram/exact.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/macro.hpp"
#include "axelram/score.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/macro_fixture.hpp"
#include "golden/oracle.hpp"

using namespace axelram;
using fast_test::between;
using macro_fixture::Raw;

namespace {

Parameters exact_parameters(int first, int last, int bits = 16) {
  Parameters p{
      .scale = ScaleKind::unbiased, .exact_first = first, .exact_last = last, .exact_bits = bits};
  return p;
}

Raw random_vector(fast_test::Random& random, int d) {
  std::normal_distribution<double> gaussian;
  Raw elements;
  for (int i = 0; i < d; ++i) elements.push_back(double_to_half(gaussian(random)));
  return elements;
}

std::vector<std::uint8_t> exact_flags(Macro& macro, const Raw& query) {
  return macro.query(query.data()).exact;
}

}  // namespace

TEST_CASE("copy: fast sum equals accumulate_copy_ref, which is exact") {
  fast_test::Random random(81);
  for (const int d : {8, 32, 64, 128, 256})
    for (int repeat = 0; repeat < 60; ++repeat) {
      CASE(d, repeat);
      std::vector<std::int32_t> u = fast_test::words(random, d, (1 << 15) - 1);
      std::vector<std::int16_t> copy;
      for (int i = 0; i < d; ++i)
        copy.push_back(static_cast<std::int16_t>(between(random, -32767, 32767)));
      constexpr int kMost = 32767;
      if (repeat < 4) {  // largest sums of either sign
        std::fill(u.begin(), u.end(), repeat % 2 == 0 ? kMost : -kMost);
        std::fill(copy.begin(), copy.end(), static_cast<std::int16_t>(repeat < 2 ? kMost : -kMost));
      }
      oracle::Int128 sum = 0;
      for (std::size_t i = 0; i < u.size(); ++i) sum += static_cast<oracle::Int128>(u[i]) * copy[i];
      const std::int64_t expected = accumulate_copy_ref(u.data(), copy.data(), d);
      CHECK(expected == static_cast<std::int64_t>(sum));
      for (const SimdLevel level : fast_test::levels())
        CHECK_AT(level, accumulate_copy(u.data(), copy.data(), d, level) == expected);
    }
}

TEST_CASE("copy: score is acc times a power of two, in the unit of unbiased scores") {
  bool saturated = false;
  CHECK(score_copy_ref(3, -7, 4, 8, &saturated) == std::ldexp(3.0F, 3));
  CHECK_FALSE(saturated);
  CHECK(score_copy_ref(-1, 200, -60, 8, &saturated) < 0);
  CHECK(saturated);

  fast_test::Random random(82);
  Parameters p = exact_parameters(1, 0);
  p.query_bits = 16;
  Macro macro = macro_fixture::make_macro(p);
  const Raw key = random_vector(random, p.head_dim);
  macro.write(key.data());
  double square = 0;
  for (const std::uint16_t x : key) square += std::pow(element_to_double(x, p.element_format), 2);
  const double score = macro.query(key.data()).scores[0] * macro.rom().score_scale;
  CHECK(std::abs(score / square - 1) < 0x1p-12);
}

TEST_CASE("copy: elements are the rotated key rounded to X bits, as a query is to WQ") {
  fast_test::Random random(83);
  for (const int bits : {12, 14, 16}) {
    CASE(bits);
    const Parameters p = exact_parameters(0, 4, bits);
    Macro macro = macro_fixture::make_macro(p);
    const Raw key = random_vector(random, p.head_dim);
    const KeyResult result = macro.write(key.data());
    Parameters as_query = p;
    as_query.exact_first = as_query.exact_last = 0;
    as_query.query_bits = bits;
    const QueryResult expected = macro_fixture::make_macro(as_query).query(key.data());
    CHECK(result.copy.exponent == expected.exponent);
    CHECK_SAME(expected.u, result.copy.elements);
  }
  Macro macro = macro_fixture::make_macro(exact_parameters(0, 1));
  const KeyResult zero = macro.write(Raw(128, 0x8000).data());
  CHECK(zero.copy.exponent == zero.exponent);
  CHECK(std::count(zero.copy.elements.begin(), zero.copy.elements.end(), 0) == 128);
}

TEST_CASE("exact tokens: the first and the newest at the moment of the query") {
  fast_test::Random random(84);
  const Raw query = random_vector(random, 128);
  for (const int first : {0, 1, 3})
    for (const int last : {0, 1, 2, 5}) {
      CASE(first, last);
      const Parameters p = exact_parameters(first, last);
      Macro macro = macro_fixture::make_macro(p);
      Parameters plain = p;
      plain.exact_first = plain.exact_last = 0;
      Macro records = macro_fixture::make_macro(plain);
      for (int tokens = 1; tokens <= 12; ++tokens) {
        CASE(tokens);
        const Raw key = random_vector(random, 128);
        macro.write(key.data());
        records.write(key.data());
        const QueryResult result = macro.query(query.data());
        const QueryResult of_records = records.query(query.data());
        if (p.copies() == 0) {
          CHECK(result.exact.empty());
          CHECK_SAME(result.acc, of_records.acc);
          continue;
        }
        for (int t = 0; t < tokens; ++t) {
          CASE(t);
          const auto at = static_cast<std::size_t>(t);
          const bool exact = t < first || t >= tokens - last;
          CHECK(result.exact[at] == (exact ? 1 : 0));
          if (!exact) CHECK(result.acc[at] == of_records.acc[at]);
          if (!exact) CHECK(result.scores[at] == of_records.scores[at]);
          if (exact) CHECK(result.acc[at] != of_records.acc[at]);
        }
      }
    }
}

TEST_CASE("exact tokens: rejected keys take no place; a clear takes the copies along") {
  fast_test::Random random(85);
  const Raw query = random_vector(random, 128);
  Macro macro = macro_fixture::make_macro(exact_parameters(1, 2), {}, 5);
  Raw rejected = random_vector(random, 128);
  rejected[7] = 0x7C00;
  macro.write(rejected.data());
  for (int t = 0; t < 4; ++t) {
    macro.write(random_vector(random, 128).data());
    macro.write(rejected.data());
  }
  CHECK_SAME(exact_flags(macro, query), std::vector<std::uint8_t>{1, 0, 1, 1});
  macro.write(random_vector(random, 128).data());
  const QueryResult full = macro.query(query.data());
  CHECK(macro.write(random_vector(random, 128).data()).status == KeyStatus::rejected_full);
  CHECK_SAME(macro.query(query.data()).acc, full.acc);
  macro.clear();
  CHECK(macro.query(query.data()).acc.empty());
  macro.write(random_vector(random, 128).data());
  CHECK_SAME(exact_flags(macro, query), std::vector<std::uint8_t>{1});
}

TEST_CASE("records from outside: any bytes, a place among the tokens, no copy") {
  fast_test::Random random(86);
  const Raw query = random_vector(random, 128);
  const Parameters p = exact_parameters(2, 3);
  Macro macro = macro_fixture::make_macro(p);
  std::vector<std::uint8_t> record(static_cast<std::size_t>(p.record_bytes()));
  for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(between(random, 0, 255));
  macro.write(random_vector(random, 128).data());
  for (int t = 0; t < 4; ++t) {
    CASE(t);
    const KeyResult written = macro.write_record(record.data());
    CHECK(written.status == KeyStatus::stored);
    CHECK_SAME(written.record, record);
    macro.write(random_vector(random, 128).data());
  }
  CHECK_SAME(exact_flags(macro, query), std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 1, 0, 1});
  const std::uint8_t* const stored = macro.store().stored(3);
  CHECK_SAME(record, std::span(stored, record.size()));
  const QueryResult result = macro.query(query.data());
  std::int64_t acc = 0;
  float score = 0;
  const ScoreQuery rounded{result.u.data(), result.exponent, p.head_dim, p.index_bits,
                           macro.rom().centroids.data()};
  score_keys_ref(rounded, record.data(), 1, &score, &acc);
  CHECK(result.acc[7] == acc);
  while (macro.size() < macro.max_keys()) macro.write_record(record.data());
  CHECK(macro.write_record(record.data()).status == KeyStatus::rejected_full);
}

TEST_CASE("exact tokens need the unbiased scale") {
  Parameters p{.exact_last = 1};
  CHECK_THROWS_WITH(check(p), "exact tokens need the scale unbiased");
  p.scale = ScaleKind::unbiased;
  check(p);
  p.exact_bits = 17;
  CHECK_THROWS(check(p));
}
