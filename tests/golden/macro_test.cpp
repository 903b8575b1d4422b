#include "axelram/macro.hpp"

#include <stdexcept>

#include "check.hpp"
#include "golden/macro_fixture.hpp"
#include "golden/oracle.hpp"

using namespace axelram;
using namespace macro_fixture;

TEST_CASE("rejections: order, counters, nothing stored") {
  Macro macro = make_macro(Parameters{}, {}, 2);
  const Raw good(128, 0x3C00);
  for (std::size_t position = 0; position < 128; ++position) {
    CASE(position);
    Raw bad = good;
    bad[position] = position % 2 != 0 ? 0x7C00 : 0xFE01;
    const KeyResult key = macro.write(bad.data());
    CHECK(key.status == KeyStatus::rejected_nonfinite);
    CHECK(key.record.empty());
    const QueryResult query = macro.query(bad.data());
    CHECK(query.status == QueryStatus::rejected_nonfinite);
    CHECK(query.scores.empty());
    CHECK(query.u.empty());
  }
  CHECK(macro.size() == 0);
  CHECK(macro.write(good.data()).status == KeyStatus::stored);
  CHECK(macro.write(good.data()).status == KeyStatus::stored);
  CHECK(macro.write(good.data()).status == KeyStatus::rejected_full);
  Raw bad = good;
  bad[127] = 0x7C00;
  CHECK(macro.write(bad.data()).status == KeyStatus::rejected_nonfinite);
  CHECK(macro.size() == 2);
  CHECK(macro.query(good.data()).scores.size() == 2);
  CHECK(macro.counters().keys_nonfinite == 129);
  CHECK(macro.counters().queries_nonfinite == 128);
  CHECK(macro.counters().keys_full == 1);

  macro.clear();
  CHECK(macro.size() == 0);
  CHECK(macro.query(good.data()).scores.empty());
  const Raw other(128, 0xC400);
  const KeyResult key = macro.write(other.data());
  CHECK(key.status == KeyStatus::stored);
  CHECK_SAME(std::vector<std::uint8_t>(macro.store().stored(0), macro.store().stored(0) + 50),
             key.record);
  CHECK(macro.counters().keys_full == 1);
}

TEST_CASE("only saturated norms of stored keys are counted") {
  Macro macro = make_macro(Parameters{}, {}, 2);
  const Raw one(128, 0x3C00);
  CHECK_FALSE(macro.write(one.data()).norm_saturated);
  CHECK(macro.counters().norms_saturated == 0);
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
  CHECK_SAME(key.indices, std::vector<std::uint8_t>(128, 0));
  const QueryResult scored = macro.query(one.data());
  CHECK(scored.acc[0] != 0);
  CHECK(scored.scores[0] == 0);
  CHECK_FALSE(std::signbit(scored.scores[0]));
  const QueryResult nothing = macro.query(zero.data());
  CHECK(nothing.exponent == -28);
  CHECK_SAME(nothing.u, std::vector<std::int32_t>(128, 0));
}

TEST_CASE("bf16 scores reach both ends of binary32") {
  Parameters p{.element_format = ElementFormat::bf16};
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
    CASE(trial);
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
  CHECK_SAME(std::vector<std::uint8_t>(macro.store().stored(1), macro.store().stored(1) + 50),
             key.record);
  std::vector<std::uint8_t> record = key.record;
  record[48] = 0xFF;
  record[49] = 0xFF;
  macro.store().set_stored(1, record.data());
  const QueryResult query = macro.query(one.data());
  CHECK(query.acc[0] == query.acc[1]);
  CHECK(query.scores[1] == static_cast<float>(std::ldexp(static_cast<double>(query.acc[1]) * 2047,
                                                         query.exponent + 6)));
}

TEST_CASE("scores approximate inner products as the contract measured") {
  const double expected[] = {0.1838, 0.0974};
  for (const int b : {3, 4}) {
    CASE(b);
    Parameters p{.index_bits = b};
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
