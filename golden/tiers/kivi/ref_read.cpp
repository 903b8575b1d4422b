#include <cmath>
#include <vector>

#include "axelram/float_row.hpp"
#include "axelram/half.hpp"
#include "axelram/kivi_read.hpp"

namespace axelram {
namespace {

/// Scales between codes and minima of the channels of a block, exact.
struct ChannelRanges {
  std::vector<float> steps, minima;
  ChannelRanges(const KiviLayout& keys, const std::uint8_t* block) {
    for (std::size_t c = 0; c < keys.groups; ++c) {
      const KiviGroup group = read_kivi_group(keys, block, c);
      steps.push_back(static_cast<float>(keys.step * half_to_double(group.scale)));
      minima.push_back(static_cast<float>(half_to_double(group.minimum)));
    }
  }
};

/// The sum over channels of scaled * code for token t of a block.
float scaled_codes_sum(const KiviLayout& keys, const std::uint8_t* block, const float* scaled,
                       std::size_t t) {
  float sum = 0;
  for (std::size_t run = 0; run < kKiviScoreRuns; ++run) {
    float part = 0;
    for (std::size_t c = run; c < keys.groups; c += kKiviScoreRuns)
      part = std::fma(scaled[c], static_cast<float>(read_kivi_code(keys, block, c, t)), part);
    sum = run == 0 ? part : sum + part;
  }
  return sum;
}

}  // namespace

void score_kivi_ref(const KiviLayout& keys, const std::uint8_t* blocks, std::size_t block_count,
                    const float* queries, std::size_t count, std::size_t query_stride,
                    float* scores, std::size_t score_stride) {
  std::vector<float> scaled(keys.groups);
  for (std::size_t b = 0; b < block_count; ++b) {
    const std::uint8_t* const block = blocks + b * keys.bytes();
    const ChannelRanges ranges(keys, block);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const query = queries + i * query_stride;
      for (std::size_t c = 0; c < keys.groups; ++c) scaled[c] = query[c] * ranges.steps[c];
      const float base = lane_dot_ref(query, ranges.minima.data(), keys.groups);
      float* const to = scores + i * score_stride + b * keys.size;
      for (std::size_t t = 0; t < keys.size; ++t)
        to[t] = base + scaled_codes_sum(keys, block, scaled.data(), t);
    }
  }
}

void sum_kivi_ref(const KiviLayout& values, const std::uint8_t* rows, std::size_t row_count,
                  const float* weights, std::size_t count, std::size_t weight_stride, float* sums,
                  std::size_t sum_stride) {
  std::vector<float> row(values.elements());
  for (std::size_t t = 0; t < row_count; ++t) {
    decode_kivi_ref(values, rows + t * values.bytes(), row.data());
    for (std::size_t i = 0; i < count; ++i)
      add_weighted_ref(weights[i * weight_stride + t], row.data(), row.size(),
                       sums + i * sum_stride);
  }
}

}  // namespace axelram
