#include "axelram/report/accuracy.hpp"

#include <cmath>

#include "axelram/half.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/run/golden.hpp"
#include "needs.hpp"
#include "support.hpp"

namespace axelram::report {
namespace {}  // namespace

TEST_CASE("a perfect score has no error, a known one its own") {
  files::Config config = config_of("macro: {head_dim: 32}");
  files::Trace trace = run::gaussian_trace(config.parameters, 6, 3, 5);
  files::Result result = run::golden(config, trace);
  result.score_scale = 1;
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t t = 0; t < 6; ++t) {
      double exact = 0;
      for (std::size_t i = 0; i < 32; ++i)
        exact += half_to_double(trace.queries[q * 32 + i]) * half_to_double(trace.keys[t * 32 + i]);
      result.scores[q * 6 + t] = static_cast<float>(exact);
    }
  const ScoreAccuracy perfect = score_accuracy(config, trace, result);
  CHECK(perfect.pairs == 18);
  CHECK(perfect.relative_rms_error < 1e-7);
  CHECK(perfect.correlation == near(1, 1e-9));
  CHECK(std::abs(perfect.attention_kl) < 1e-9);
  CHECK(perfect.attention_top1 == 1);

  // Scores of one query shifted alike: the attention stays, the error is the shift.
  for (std::size_t t = 0; t < 6; ++t) result.scores[t] += 2;
  const ScoreAccuracy shifted = score_accuracy(config, trace, result);
  CHECK(shifted.max_abs_error == near(2, 1e-5));
  CHECK(std::abs(shifted.attention_kl) < 1e-6);
  CHECK(shifted.attention_top1 == 1);

  // Negated: the largest becomes the smallest.
  for (float& score : result.scores) score = -score;
  const ScoreAccuracy negated = score_accuracy(config, trace, result);
  CHECK(negated.relative_rms_error > 1.5);
  CHECK(negated.correlation < 0);
  CHECK(negated.attention_kl > 0.1);
  CHECK(negated.attention_top1 == 0);
}

TEST_CASE("errors of scores on the scale of their vectors") {
  const files::Config config = config_of("macro: {head_dim: 32}");
  files::Trace trace = run::gaussian_trace(config.parameters, 40, 5, 3);
  std::fill_n(trace.keys.begin(), 32, std::uint16_t{0});  // key 0 has no direction
  files::Result result = run::golden(config, trace);
  result.score_scale = 1;
  for (std::size_t q = 0; q < 5; ++q)
    for (std::size_t t = 0; t < 40; ++t) {
      double exact = 0, key = 0, query = 0;
      for (std::size_t i = 0; i < 32; ++i) {
        const double a = half_to_double(trace.queries[q * 32 + i]);
        const double b = half_to_double(trace.keys[t * 32 + i]);
        exact += a * b, query += a * a, key += b * b;
      }
      // Errors of 0.5 and -0.5 on this scale, in turn, and one of 7.
      const double error = q == 2 && t == 1 ? 7 : t % 2 == 0 ? 0.5 : -0.5;
      result.scores[q * 40 + t] = static_cast<float>(exact + error * std::sqrt(key * query / 32));
    }
  const ScoreErrors errors = score_errors(config, trace, result);
  CHECK(errors.pairs == 5 * 39);
  CHECK(errors.largest == near(7, 1e-4));
  CHECK(errors.mean == near((7 + 95 * 0.5 - 99 * 0.5) / 195, 1e-3));
  CHECK(errors.outside == 1);
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < errors.counts.size(); ++i) {
    CASE(i);
    counted += errors.counts[i];
    const double low = (static_cast<double>(i) - 40) * errors.width;
    const bool holds_half = low <= 0.5 && 0.5 < low + errors.width;
    const bool holds_minus_half = low <= -0.5 && -0.5 < low + errors.width;
    if (errors.counts[i] != 0) CHECK((holds_half || holds_minus_half));
  }
  CHECK(counted == 194);

  trace.queries.clear();
  result = run::golden(config, trace);
  CHECK(score_errors(config, trace, result).counts.empty());
}

TEST_CASE("Gaussian errors of scores spread as the distortion of a coordinate says") {
  const GaussianTest test = gaussian_test(config_of("macro: {head_dim: 128}"));
  const ScoreErrors errors =
      score_errors(test.config, test.trace, run::golden(test.config, test.trace));
  CHECK(errors.pairs == 4096 * 16);
  CHECK(errors.standard_deviation == near(std::sqrt(0.03455), 0.03));
  CHECK(std::abs(errors.mean) < 0.005);
}

TEST_CASE("a center is subtracted on both sides of the comparison") {
  const files::Config plain = config_of("macro: {head_dim: 64}");
  files::Config centered = plain;
  centered.parameters.centered = true;
  centered.center.assign(64, double_to_half(3));
  files::Trace trace = run::gaussian_trace(plain.parameters, 64, 8, 11);
  for (std::uint16_t& key : trace.keys) key = double_to_half(half_to_double(key) + 3);
  const files::Result result = run::golden(centered, trace);
  CHECK(score_accuracy(centered, trace, result).relative_rms_error == near(0.18, 0.1));
  CHECK(key_distortion(centered, trace, result).exact == near(0.0335, 0.05));
  // Without it the bias takes the codebook's range.
  CHECK(score_accuracy(plain, trace, result).relative_rms_error > 0.5);
}

TEST_CASE("a key of zeros has no direction and does not count") {
  const files::Config config = config_of("macro: {head_dim: 32, max_keys: 8}");
  files::Trace trace = run::gaussian_trace(config.parameters, 4, 1, 3);
  const KeyDistortion without = key_distortion(config, trace, run::golden(config, trace));
  trace.keys.resize(5 * 32, 0);
  const KeyDistortion with = key_distortion(config, trace, run::golden(config, trace));
  CHECK(with.coordinates == 4 * 32);
  CHECK(with.exact == without.exact);
  CHECK(with.stored == without.stored);
}

TEST_CASE("keys of every layer and head of a language model are as good as Gaussian ones" *
          test::needs_data) {
  const std::string folder = test::data();
  const files::Config config = config_of("{}");
  for (const char* name :
       {"4096", "l0h0", "l0h1", "l1h0", "l1h1", "l2h0", "l2h1", "l3h0", "l3h1"}) {
    CASE(name);
    const files::Trace trace =
        files::read_trace(std::string(folder) + "/traces/byte-llama-d128-" + name + ".safetensors",
                          config.parameters, config.max_keys);
    const files::Result result = run::golden(config, trace);
    CHECK(key_distortion(config, trace, result).exact == near(0.03398, 0.05));
    const ScoreAccuracy scores = score_accuracy(config, trace, result);
    CHECK(scores.relative_rms_error < 0.12);
    CHECK(scores.correlation > 0.99);
    CHECK(scores.attention_kl < 0.06);
  }
}

}  // namespace axelram::report
