#include "axelram/kernels/feedback.hpp"

#include <bit>
#include <cmath>

#include "check.hpp"
#include "golden_scores.hpp"
#include "units/feedback.cuh"
#include "written_keys.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

using Encoders = std::vector<std::shared_ptr<const Feedback>>;

/// Queries of some directions, more of the one than of all others.
QueryMoment random_moment(std::uint64_t seed, std::size_t d, bool full, float alpha) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  QueryMoment moment;
  std::vector<float> x(d);
  double square = 0;
  for (float& element : x) {
    element = normal(random);
    square += double{element} * element;
  }
  for (float& element : x) element = static_cast<float>(element / std::sqrt(square));
  if (!full) {
    moment.direction = x;
    moment.alpha = alpha;
    return moment;
  }
  moment.full.resize(d * d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      moment.full[i * d + j] = alpha * (x[i] * x[j]) + (i == j ? 1.0F + 0.1F * x[i] : 0.0F);
  return moment;
}

/// Strong and weak feedback, and in every third head none.
Encoders random_encoders(const Parameters& p, const Heads& heads, std::size_t count, bool full,
                         std::uint64_t seed) {
  Encoders encoders(count);
  const auto d = static_cast<std::size_t>(p.head_dim);
  for (std::size_t h = 0; h < count; ++h)
    if (h % 3 != 2)
      encoders[h] = feedback_of(random_moment(seed + h, d, full, h % 3 == 0 ? 30.0F : 1e6F),
                                &heads.signs[h * d], p.head_dim);
  return encoders;
}

Written run_fed(const Parameters& p, const HostRows& keys, const Heads& heads,
                const Encoders& encoders, const Written& expected) {
  Stream stream;
  const DeviceFeedback feedback(stream, p, encoders);
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  const DeviceHeads on_device(stream, heads);
  const Buffer<std::uint8_t> records(expected.records.size()), indices(expected.indices.size()),
      levels(expected.levels.size());
  const Buffer<std::uint16_t> norms(expected.norms.size());
  const Buffer<std::int64_t> correlations(expected.norms.size());
  const Buffer<std::int16_t> copies(expected.copies.size());
  const Buffer<std::int32_t> copy_exponents(expected.copy_exponents.size());
  const Buffer<WriteEvents> events(stream, std::vector<WriteEvents>(1));
  WrittenRows out{.records = records.data(),
                  .indices = indices.data(),
                  .norms = norms.data(),
                  .events = events.data(),
                  .correlations = correlations.data(),
                  .copies = copies.data(),
                  .copy_exponents = copy_exponents.data(),
                  .levels = levels.data()};
  write_keys_with_feedback(stream, macro_constants(p, codebook_rom(p)), feedback.heads(),
                           keys.on_device(elements.data()), on_device.rotations(),
                           on_device.center.data(), out);
  Written w;
  w.records = records.download(stream);
  w.indices = indices.download(stream);
  w.norms = norms.download(stream);
  w.correlations = correlations.download(stream);
  w.events = events.download(stream).at(0);
  w.copies = copies.download(stream);
  w.copy_exponents = copy_exponents.download(stream);
  w.levels = levels.download(stream);
  return w;
}

void check_fed(const Parameters& p, HostRows& keys, const Heads& heads, const Encoders& encoders) {
  Written expected = golden(p, keys, heads, encoders);
  expected.thresholds.clear();
  expected.reconstructions.clear();
  expected.path_costs.clear();
  check_equal(run_fed(p, keys, heads, encoders, expected), expected);
}

/// Rows of every kind in `heads` heads.
void check_random(const Parameters& p, std::size_t tokens, std::size_t head_count, bool full,
                  std::uint64_t seed) {
  CASE(p.head_dim, p.index_bits, p.trellis(), p.states, full, p.centered, p.balanced,
       static_cast<int>(p.element_format), seed);
  HostRows keys = dense(tokens, head_count, p);
  keys.fill(p, seed);
  const Heads heads(p, head_count, seed);
  check_fed(p, keys, heads, random_encoders(p, heads, head_count, full, seed));
}

Parameters fed_parameters(int d, int bits, int states) {
  Parameters p = with_trellis(parameters_of(d, bits, 8, 8), states);
  p.scale = ScaleKind::unbiased;
  return p;
}

template <class Check>
void for_all(const Check& check) {
  for (const bool full : {false, true})
    for (const int states : {0, 4, 8, 16})
      for (const int d : {32, 64, 128, 256})
        for (const int bits : {2, 3, 4}) {
          CASE(full, states, d, bits);
          check(fed_parameters(d, bits, states), full);
        }
}

}  // namespace

TEST_CASE("feedback: keys are golden's for every dimension, index width, trellis and rank") {
  std::uint64_t seed = 1;
  for_all([&](Parameters p, bool full) {
    p.codebook = seed % 2 == 0 ? CodebookKind::gaussian : CodebookKind::beta;
    p.element_format = seed % 3 == 0 ? ElementFormat::bf16 : ElementFormat::fp16;
    p.centered = seed % 4 == 0;
    p.balanced = seed % 5 < 2;
    p.exact_last = seed % 5 == 0 ? 1 : 0;
    p.significand_bits = seed % 7 == 0 ? 20 : 16;
    check_random(p, 11, 3, full, seed++);
  });
}

TEST_CASE("feedback: any number of tokens and heads, gaps between rows") {
  for (const int states : {0, 4, 8, 16})
    for (const bool full : {false, true})
      for (const std::size_t tokens : {1U, 31U, 32U, 33U, 70U}) {
        CASE(states, full, tokens);
        check_random(fed_parameters(32, 3, states), tokens, tokens % 2 + 1, full, tokens);
      }
  const Parameters p = fed_parameters(128, 3, 8);
  for (HostRows keys : {HostRows{9, 3, 136, 640}, {9, 3, 1232, 136}, {9, 3, 129, 431, 1}}) {
    CASE(keys.token_stride, keys.head_stride, keys.offset);
    keys.fill(p, 4);
    const Heads heads(p, 3, 4);
    check_fed(p, keys, heads, random_encoders(p, heads, 3, false, 4));
  }
}

TEST_CASE("feedback: single elements in every place, and elements as large as they get") {
  for_all([](const Parameters& p, bool full) {
    if (p.head_dim > 64) return;
    CASE(p.head_dim, p.index_bits, p.states, full);
    const auto d = static_cast<std::size_t>(p.head_dim);
    HostRows keys = dense(d + 2, 1, p);
    keys.elements.assign(keys.tokens * d, 0);
    for (std::size_t i = 0; i < d; ++i) keys.at(i)[i] = i % 2 == 0 ? 0x3C00 : 0xFBFF;
    // One row of the Hadamard matrix: a single large rotated element, behind which errors vanish.
    for (std::size_t i = 0; i < d; ++i) {
      keys.at(d)[i] = std::popcount(i & 5) % 2 == 0 ? 0x7BFF : 0xFBFF;
      keys.at(d + 1)[i] = 0x0001;
    }
    Heads heads(p, 1, 3);
    heads.signs.assign(d, 1);
    check_fed(p, keys, heads, random_encoders(p, heads, 1, full, 5));
  });
}

TEST_CASE("feedback: nothing known of the queries, and heads without feedback alone") {
  for (const int states : {0, 8}) {
    CASE(states);
    const Parameters p = fed_parameters(64, 3, states);
    HostRows keys = dense(9, 2, p);
    keys.fill(p, 1);
    const Heads heads(p, 2, 1);
    check_fed(p, keys, heads, {nullptr, nullptr});
    QueryMoment moment;
    moment.full.resize(64 * 64);
    const auto none = feedback_of(moment, heads.signs.data(), 64);
    check_fed(p, keys, heads, {none, none});
  }
}

TEST_CASE("feedback: ties of levels, of levels of a subset, and of targets at a bound") {
  const float levels[4] = {-3, -1, 1, 3};
  float bounds[3];
  bounds_of(levels, bounds);
  for (const float target : {-9.0F, -2.0F, std::nextafter(-2.0F, 0.0F), 0.0F, 1e-6F, 2.0F, 9.0F}) {
    CASE(target);
    std::uint32_t nearest = 0;  // the lower one if two are
    for (std::uint32_t j = 1; j < 4; ++j)
      if (std::abs(double{target} - levels[j]) < std::abs(double{target} - levels[nearest]))
        nearest = j;
    CHECK(next_to(target, levels, bounds).index == nearest);
    CHECK(next_to(target, levels, bounds).level == levels[nearest]);
    CHECK(fed_branch(0, target, 1, levels).mu == nearest);
  }
  // Elements of one size, with feedback that moves none: half of them lie between two levels.
  for (const int states : {0, 4, 8, 16}) {
    CASE(states);
    const Parameters p = fed_parameters(64, 2, states);
    Feedback none;
    none.weights.assign(64, 1);
    none.u.assign(64, 0);
    none.a.assign(64, 0);
    HostRows keys = dense(8, 1, p);
    keys.elements.assign(keys.tokens * 64, 0);
    for (std::size_t row = 0; row < keys.tokens; ++row)
      for (std::size_t i = 0; i <= row; ++i) keys.at(row)[i * 7] = 0x3C00;
    Heads heads(p, 1, 3);
    heads.signs.assign(64, 1);
    check_fed(p, keys, heads, {std::make_shared<const Feedback>(none)});
  }
}

TEST_CASE("feedback: sums of errors that cancel, but for a rounding") {
  // All rotated elements are equal. The errors of a pair cancel, each product rounded by itself;
  // what is left otherwise is large enough to change a level.
  constexpr float kThird = 1.0F / 3, kLarge = 1e10F;
  for_all([&](const Parameters& p, bool full) {
    CASE(p.head_dim, p.index_bits, p.states, full);
    const auto d = static_cast<std::size_t>(p.head_dim);
    Feedback pairs;
    pairs.weights.assign(d, kThird);
    for (std::size_t i = 0; i < d; ++i) {
      pairs.u.push_back(i % 2 == 0 ? kThird : -kThird);
      pairs.a.push_back(i % 4 == 2 ? kLarge : 0);
    }
    if (full) {
      pairs.columns.resize(d * d);
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t k = i + 2 - i % 2; k < d; ++k)
          pairs.columns[i * d + k] = k % 4 == 2 ? kLarge * pairs.u[i] : 0;
      pairs.u.clear();
      pairs.a.clear();
    }
    HostRows keys = dense(40, 1, p);
    keys.elements.assign(keys.tokens * d, 0);
    for (std::size_t row = 0; row < keys.tokens; ++row)
      keys.at(row)[0] = static_cast<std::uint16_t>(0x3C01 + 25 * row);
    Heads heads(p, 1, 3);
    heads.signs.assign(d, 1);
    check_fed(p, keys, heads, {std::make_shared<const Feedback>(pairs)});
  });
}

TEST_CASE("feedback: the factor of a norm is limited, and 1 without a direction") {
  FedSums sums;
  CHECK(sums.factor() == 1);
  sums = {4, 2, 3, 3};
  CHECK(sums.factor() == 0.5);
  sums = {4, 2, 3, 0.25};
  CHECK(sums.factor() == 2);
  sums.ymx = -1;
  CHECK(sums.factor() == 2);
  sums.yx = 0;
  CHECK(sums.factor() == 1);
  sums = {4, 2, 3, 2};
  CHECK(sums.factor() == 0.75);
  bool saturated = false;
  CHECK(weighted_norm(1, 65504, 1, 0, &saturated) == 0x7BFF);
  CHECK(!saturated);
  CHECK(weighted_norm(1.0001, 65504, 1, 0, &saturated) == 0x7BFF);
  CHECK(saturated);
  CHECK(weighted_norm(1, 1, 1, -24, &saturated) == 1);
  CHECK(weighted_norm(1, 1, 1, -25, &saturated) == 0);  // a tie: to even
  CHECK(weighted_norm(1, 3, 1, -25, &saturated) == 2);
}

TEST_CASE("feedback: outputs with a null pointer are left out, and zero rows are allowed") {
  Stream stream;
  const Parameters p = fed_parameters(64, 3, 8);
  HostRows keys = dense(9, 2, p);
  keys.fill(p, 1);
  const Heads heads(p, 2, 1);
  const Encoders encoders = random_encoders(p, heads, 2, false, 1);
  const Written expected = golden(p, keys, heads, encoders);
  const DeviceFeedback feedback(stream, p, encoders);
  const Buffer<std::uint16_t> elements(stream, keys.elements);
  const Buffer<std::int8_t> signs(stream, heads.signs);
  const Buffer<std::uint8_t> records(expected.records.size());
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  WrittenRows out{.records = records.data()};
  write_keys_with_feedback(stream, c, feedback.heads(), keys.on_device(elements.data()),
                           signs.data(), nullptr, out);
  CHECK_SAME(records.download(stream), expected.records);
  CHECK_NOTHROW(write_keys_with_feedback(stream, c, feedback.heads(), {}, nullptr, nullptr, {}));
}

TEST_CASE("feedback: what cannot be written is rejected by name") {
  Stream stream;
  const Parameters p = fed_parameters(32, 3, 0);
  const Buffer<std::uint16_t> elements(32);
  const Buffer<std::int8_t> signs(32);
  const Buffer<std::int32_t> words(8);
  const Buffer<float> floats(32 * 32);
  const ElementRows keys = ElementRows::dense(elements.data(), 1, 1, 32);
  const MacroConstants c = macro_constants(p, codebook_rom(p));
  const FeedbackHeads rank1{floats.data(), floats.data(), floats.data(), nullptr, {}};
  const auto rejects = [&](const MacroConstants& constants, const FeedbackHeads& f,
                           const std::int8_t* of_signs, const WrittenRows& out, const char* text) {
    CHECK_THROWS_WITH_AS(
        write_keys_with_feedback(stream, constants, f, keys, of_signs, nullptr, out),
        doctest::Contains(text), DeviceError);
  };
  MacroConstants wrong = c;
  wrong.index_bits = 5;
  rejects(wrong, rank1, signs.data(), {}, "index_bits");
  wrong = c;
  wrong.unbiased = false;
  rejects(wrong, rank1, signs.data(), {}, "needs constants.unbiased");
  rejects(c, rank1, nullptr, {}, "write_keys_with_feedback(keys [1, 1, 32]): no signs");
  FeedbackHeads lacking = rank1;
  lacking.a = nullptr;
  rejects(c, lacking, signs.data(), {}, "no weights, or neither");
  lacking = rank1;
  lacking.weights = nullptr;
  lacking.columns = floats.data();
  rejects(c, lacking, signs.data(), {}, "no weights, or neither");
  WrittenRows out{.thresholds = words.data()};
  rejects(c, rank1, signs.data(), out, "no thresholds");
  out = {};
  out.reconstructions = words.data();
  rejects(c, rank1, signs.data(), out, "no thresholds");

  const auto one = feedback_of(random_moment(1, 32, false, 1), random_signs(1, 32).data(), 32);
  const auto full = feedback_of(random_moment(1, 32, true, 1), random_signs(1, 32).data(), 32);
  CHECK_THROWS_AS(feedback_table(Encoders{one, full}, 32), std::invalid_argument);
  CHECK_THROWS_AS(feedback_table(Encoders{one}, 64), std::invalid_argument);
}
