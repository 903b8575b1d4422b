#include <algorithm>

#include "axelram/calibration/tier_rows.hpp"

namespace axelram::calibration {
namespace {

/// Channels in the order first halves of all pairs, then second halves, so that loops over pairs
/// are loops over neighbours.
std::size_t channel_at(std::size_t place, std::size_t pairs, bool interleaved) {
  if (!interleaved) return place;
  return place < pairs ? 2 * place : 2 * (place - pairs) + 1;
}

/// moment += R^T S R, S [d, d] in the order of channel_at; lower pairs of the symmetric product.
void add_turned_back(const double* s, std::size_t pairs, const float* cosines, const float* sines,
                     double* moment) {
  const std::size_t d = 2 * pairs;
  for (std::size_t p = 0; p < pairs; ++p) {
    const double c = cosines[p], n = sines[p];
    const double *const upper = s + p * d, *const lower = s + (p + pairs) * d;
    double *const upper_sum = moment + p * d, *const lower_sum = moment + (p + pairs) * d;
    for (std::size_t r = 0; r < pairs; ++r) {
      // Rows first: (a, b) becomes (a cos + b sin, b cos - a sin); then columns alike.
      const double aa = c * upper[r] + n * lower[r];
      const double ab = c * upper[r + pairs] + n * lower[r + pairs];
      const double ba = c * lower[r] - n * upper[r];
      const double bb = c * lower[r + pairs] - n * upper[r + pairs];
      const double cr = cosines[r], nr = sines[r];
      upper_sum[r] += aa * cr + ab * nr;
      upper_sum[r + pairs] += ab * cr - aa * nr;
      lower_sum[r] += ba * cr + bb * nr;
      lower_sum[r + pairs] += bb * cr - ba * nr;
    }
  }
}

}  // namespace

void add_moments_before(const float* queries, std::size_t tokens, std::size_t next,
                        std::size_t group, std::size_t d, std::size_t span,
                        const transformer::RotaryTable& rotary, double* moment) {
  // Without a rotation every channel is as it is: one turn by the angle 0.
  const std::size_t pairs = d / 2;
  const bool turned = rotary.pairs() != 0, interleaved = turned && rotary.interleaved();
  const std::vector<float> ones(pairs, 1), zeros(pairs, 0);
  // The sum of q q^T over the queries that meet the key of token t: those from t on, as far as the
  // span of attention reaches.
  std::vector<double> later(d * d), sum(d * d), q(d);
  const auto add = [&](std::size_t token, double factor) {
    for (std::size_t head = 0; head < group; ++head) {
      const float* const row = queries + token * next + head * d;
      for (std::size_t i = 0; i < d; ++i) q[i] = row[channel_at(i, pairs, interleaved)];
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) later[i * d + j] += factor * q[i] * q[j];
    }
  };
  for (std::size_t t = tokens; t-- > 0;) {
    add(t, 1);
    if (span != 0 && t + span < tokens) add(t + span, -1);
    add_turned_back(later.data(), pairs, turned ? &rotary.cosines()[t * pairs] : ones.data(),
                    turned ? &rotary.sines()[t * pairs] : zeros.data(), sum.data());
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      moment[channel_at(i, pairs, interleaved) * d + channel_at(j, pairs, interleaved)] +=
          sum[i * d + j];
}

}  // namespace axelram::calibration
