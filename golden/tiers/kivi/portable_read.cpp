#include "axelram/float_row.hpp"
#include "axelram/half.hpp"
#include "axelram/kivi_read.hpp"
#include "codes.hpp"
#include "simd/level_units.hpp"
#include "tiers/float_row/arguments.hpp"
#include "tiers/kivi/arguments.hpp"

namespace axelram::portable {
namespace {

constexpr std::size_t kWidest = 256;  // channels of a row, and tokens of a block

}  // namespace

void score_kivi(const KiviBlockScores& of) {
  constexpr float kCounted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::size_t code_bytes = of.group * static_cast<std::size_t>(of.bits) / 8;
  for (std::size_t b = 0; b < of.block_count; ++b) {
    const std::uint8_t* const block = of.blocks + b * of.block_bytes;
    const std::uint8_t* const scales = block + of.d * code_bytes;
    float steps[kWidest], minima[kWidest];
    for (std::size_t c = 0; c < of.d; ++c) {
      steps[c] = half_at(scales + 2 * c) * static_cast<float>(of.step);
      minima[c] = half_at(scales + 2 * (of.d + c));
    }
    for (std::size_t i = 0; i < of.count; ++i) {
      const float* const query = of.queries + i * of.query_stride;
      float* const scores = of.scores + i * of.score_stride + b * of.group;
      float sums[kWidest], parts[kWidest], codes[kWidest];
      for (std::size_t run = 0; run < kKiviScoreRuns; ++run) {
        for (std::size_t t = 0; t < of.group; ++t) parts[t] = 0;
        for (std::size_t c = run; c < of.d; c += kKiviScoreRuns) {
          look_up(kCounted, of.bits, block + c * code_bytes, of.group, codes);
          add_weighted_ref(query[c] * steps[c], codes, of.group, parts);
        }
        for (std::size_t t = 0; t < of.group; ++t)
          sums[t] = run == 0 ? parts[t] : sums[t] + parts[t];
      }
      const float base = lane_dot_ref(query, minima, of.d);
      for (std::size_t t = 0; t < of.group; ++t) scores[t] = base + sums[t];
    }
  }
}

void sum_kivi(const KiviRowSums& of) {
  const std::size_t code_bytes = of.d * static_cast<std::size_t>(of.bits) / 8;
  const std::size_t groups = of.d / of.group;
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* const row = of.rows + t * of.row_bytes;
    const std::uint8_t* const scales = row + code_bytes;
    float decoded[kWidest];
    for (std::size_t g = 0; g < groups; ++g) {
      const double scale = half_at(scales + 2 * g), minimum = half_at(scales + 2 * (groups + g));
      float table[16];
      for (int code = 0; code < 1 << of.bits; ++code)
        table[code] = static_cast<float>(minimum + of.step * code * scale);
      look_up(table, of.bits, row + g * code_bytes / groups, of.group, decoded + g * of.group);
    }
    const RowWeights& to = of.to;
    sum_rows(
        {decoded, 1, of.d, {to.weights + t, to.count, to.weight_stride, to.sums, to.sum_stride}});
  }
}

}  // namespace axelram::portable
