#include <algorithm>
#include <iterator>
#include <numeric>

#include "axelram/fast.hpp"
#include "axelram/macro.hpp"
#include "check.hpp"
#include "fast_inputs.hpp"

FIELDS(axelram::MacroCounters, keys_nonfinite, keys_full, queries_nonfinite, norms_saturated,
       scales_refused, scores_saturated);
FIELDS(axelram::ResidualResult, norm, shift, signs);
FIELDS(axelram::VectorResult, norm_saturated, norm, root, thresholds, reconstructions, indices,
       levels, path_cost, scale_refused, correlation);

using namespace axelram;
using namespace fast_test;

namespace {

void expect_same_part(const VectorResult& a, const VectorResult& b) { CHECK_SAME(a, b); }

void expect_same(const KeyResult& a, const KeyResult& b) {
  CHECK(a.status == b.status);
  expect_same_part(a, b);
  CHECK_SAME(a.second, b.second);
  CHECK_SAME(a.residual, b.residual);
  CHECK(a.exponent == b.exponent);
  CHECK_SAME(a.record, b.record);
  CHECK_SAME(a.copy.elements, b.copy.elements);
  CHECK(a.copy.exponent == b.copy.exponent);
}

void expect_same(const QueryResult& a, const QueryResult& b) {
  CHECK(a.status == b.status);
  CHECK_SAME(a.u, b.u);
  CHECK(a.exponent == b.exponent);
  CHECK_SAME(a.v, b.v);
  CHECK(a.residual_exponent == b.residual_exponent);
  CHECK_SAME(a.acc, b.acc);
  CHECK_SAME(a.second_acc, b.second_acc);
  CHECK_SAME(a.exact, b.exact);
  CHECK(test::same_bits(a.scores, b.scores));
  CHECK(a.saturated == b.saturated);
}

/// An arbitrary vector; now and then one that is rejected.
std::vector<std::uint16_t> any_vector(Random& random, const Parameters& p) {
  const auto kind = static_cast<Kind>(between(random, 0, static_cast<int>(Kind::count) - 1));
  auto x = vector(random, kind, p.element_format, p.head_dim);
  if (between(random, 0, 19) == 0)
    x[static_cast<std::size_t>(between(random, 0, p.head_dim - 1))] = infinity(p.element_format);
  return x;
}

HeadRotation any_rotation(Random& random, const Parameters& p) {
  HeadRotation rotation(signs(random, p.head_dim));
  if (p.prod()) rotation.residual_signs = signs(random, p.head_dim);
  if (!p.split()) return rotation;
  std::vector<std::uint16_t> channels(static_cast<std::size_t>(p.head_dim));
  std::iota(channels.begin(), channels.end(), std::uint16_t{0});
  std::sample(channels.begin(), channels.end(), std::back_inserter(rotation.high_channels),
              p.head_dim / 2, random);
  return rotation;
}

void run_both(Random& random, const Parameters& p) {
  constexpr std::size_t kCapacity = 40;
  const HeadRotation rotation = any_rotation(random, p);
  const auto center = p.centered ? vector(random, Kind::gaussian_like, p.element_format, p.head_dim)
                                 : std::vector<std::uint16_t>{};
  Macro fast(p, rotation, center, kCapacity, {}, fast_units());
  Macro reference(p, rotation, center, kCapacity);
  std::vector<std::uint8_t> record(static_cast<std::size_t>(p.record_bytes()));
  const auto draw_record = [&random, &record] {
    for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(random() & 0xFF);
  };
  for (int i = 0; i < 45; ++i) {
    CASE(i);
    const auto key = any_vector(random, p);
    expect_same(fast.write(key.data()), reference.write(key.data()));
    if (i % 7 == 0) {
      draw_record();
      expect_same(fast.write_record(record.data()), reference.write_record(record.data()));
    }
    if (i % 9 == 0) {
      const auto query = any_vector(random, p);
      expect_same(fast.query(query.data()), reference.query(query.data()));
    }
  }
  for (std::size_t k = 0; k < fast.size(); k += 3) {
    draw_record();
    fast.store().set_stored(k, record.data());
    reference.store().set_stored(k, record.data());
  }
  for (int i = 0; i < 8; ++i) {
    CASE(i);
    const auto query = any_vector(random, p);
    expect_same(fast.query(query.data()), reference.query(query.data()));
  }
  CHECK_SAME(fast.counters(), reference.counters());
}

}  // namespace

TEST_CASE("a macro of fast units equals one of reference units at every corner of the parameters") {
  Random random(31);
  for (const int d : {32, 64, 128, 256})
    for (int bits = 2; bits <= 4; ++bits)
      for (const bool narrow : {false, true})
        for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16})
          for (const bool centered : {false, true}) {
            CASE(d, bits, narrow, format, centered);
            Parameters p{.head_dim = d,
                         .index_bits = bits,
                         .significand_bits = narrow ? 12 : 20,
                         .boundary_fraction_bits = narrow ? 10 : 16,
                         .query_bits = narrow ? 6 : 16,
                         .centroid_bits = narrow ? 6 : 16,
                         .element_format = format,
                         .centered = centered};
            const bool exact = bits != 3;
            p.scale = exact ? ScaleKind::unbiased : ScaleKind::norm;
            p.exact_first = exact ? 3 : 0;
            p.exact_last = exact ? 9 : 0;
            p.exact_bits = narrow ? 12 : 16;
            run_both(random, p);
          }
}

TEST_CASE("a macro of fast units equals one of reference units at the defaults and beside them") {
  Random random(32);
  for (int repeat = 0; repeat < 4; ++repeat) {
    CASE(repeat);
    run_both(random, Parameters{});
  }
  for (int repeat = 0; repeat < 12; ++repeat) {
    CASE(repeat);
    Parameters p;
    p.head_dim = 32 << between(random, 0, 3);
    p.index_bits = between(random, 2, 4);
    p.significand_bits = between(random, 12, 20);
    p.boundary_fraction_bits = between(random, 10, 16);
    p.query_bits = between(random, 6, 16);
    p.centroid_bits = between(random, 6, 16);
    p.element_format = repeat % 2 == 0 ? ElementFormat::fp16 : ElementFormat::bf16;
    p.codebook = repeat % 3 == 0 ? CodebookKind::beta : CodebookKind::gaussian;
    p.centered = repeat % 4 < 2;
    p.scale = repeat % 3 == 1 ? ScaleKind::norm : ScaleKind::unbiased;
    if (p.scale == ScaleKind::unbiased) {
      p.exact_first = between(random, 0, 16);
      p.exact_last = between(random, 0, 64);
      p.exact_bits = between(random, 12, 16);
    }
    run_both(random, p);
  }
}

TEST_CASE("a macro of fast units equals one of reference units with records of two parts") {
  Random random(33);
  const auto run = [&](Parameters p, int repeat) {
    const bool corner = repeat % 3 == 0, narrow = repeat % 2 == 0;
    p.significand_bits = !corner ? between(random, 12, 20) : narrow ? 12 : 20;
    p.boundary_fraction_bits = !corner ? between(random, 10, 16) : narrow ? 10 : 16;
    p.query_bits = !corner ? 8 : narrow ? 6 : 16;
    p.centroid_bits = !corner ? 8 : narrow ? 6 : 16;
    p.element_format = repeat % 4 < 2 ? ElementFormat::fp16 : ElementFormat::bf16;
    p.centered = between(random, 0, 1) != 0;
    run_both(random, p);
  };
  int repeat = 0;
  for (const int d : {32, 64, 128, 256}) {
    CASE(d);
    Parameters p{.head_dim = d, .kind = QuantizerKind::prod};
    for (p.index_bits = 2; p.index_bits <= 4; ++p.index_bits) {
      CASE(p.index_bits);
      run(p, repeat++);
    }
    for (const int states : {0, 4, 8, 16})
      for (const auto& [high, low] : {std::pair{1, 1}, {3, 1}, {3, 2}, {4, 2}, {4, 3}}) {
        CASE(states, high, low);
        Parameters split{.head_dim = d,
                         .kind = states == 0 ? QuantizerKind::mse : QuantizerKind::trellis,
                         .scale = ScaleKind::unbiased,
                         .split_high = high,
                         .split_low = low};
        if (states != 0) split.states = states;
        run(split, repeat++);
      }
  }
}
