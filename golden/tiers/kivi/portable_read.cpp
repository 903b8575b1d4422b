#include <cmath>

#include "axelram/float_row.hpp"
#include "axelram/half.hpp"
#include "axelram/kivi_read.hpp"
#include "codes.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {
namespace {

constexpr std::size_t kWidest = 256;  // channels of a row, and tokens of a block

float half_at(const std::uint8_t* bytes) {
  return widened(static_cast<std::uint16_t>(load_codes(bytes, 2)));
}

/// Codes of neighbours, a multiple of 8, as floats of a table of 2^bits.
void look_up(const float* table, int bits, const std::uint8_t* from, std::size_t count, float* to) {
  const auto bytes = static_cast<std::size_t>(bits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::size_t i = 0; i < count; i += kCodes, from += bytes) {
    const std::uint64_t codes = load_codes(from, bytes);
    for (std::size_t k = 0; k < kCodes; ++k) to[i + k] = table[codes >> (bytes * k) & mask];
  }
}

void add_to_all(const RowWeights& to, std::size_t t, const float* row, std::size_t d) {
  for (std::size_t i = 0; i < to.count; ++i)
    add_weighted_ref(to.weights[i * to.weight_stride + t], row, d, to.sums + i * to.sum_stride);
}

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
    add_to_all(of.to, t, decoded, of.d);
  }
}

void decode_nuq_rows(const NuqRows& of) {
  const std::size_t index_bytes = of.d * static_cast<std::size_t>(of.bits) / 8;
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* const row = of.rows + t * of.row_bytes;
    float* const x = of.x + t * of.d;
    if (of.middles == nullptr) {
      const double least = half_at(row + index_bytes), largest = half_at(row + index_bytes + 2);
      const double middle = (largest + least) / 2, radius = (largest - least) / 2;
      float table[16];
      // Rounded to FP64, then to FP32; -0 becomes +0 (bit-contract.md#nuq).
      for (int j = 0; j < 1 << of.bits; ++j)
        table[j] = static_cast<float>(middle + radius * of.levels[j] + 0.0);
      look_up(table, of.bits, row, of.d, x);
      continue;
    }
    look_up(of.levels, of.bits, row, of.d, x);
    for (std::size_t c = 0; c < of.d; ++c) {
      const double middle = widened(of.middles[c]), radius = widened(of.radii[c]);
      x[c] = static_cast<float>(middle + radius * x[c] + 0.0);
    }
  }
}

void score_rows(const FloatRowScores& of) {
  for (std::size_t t = 0; t < of.row_count; ++t)
    for (std::size_t i = 0; i < of.count; ++i)
      of.scores[i * of.score_stride + t] =
          lane_dot_ref(of.queries + i * of.query_stride, of.x + t * of.d, of.d);
}

void sum_rows(const FloatRowSums& of) {
  for (std::size_t t = 0; t < of.row_count; ++t) add_to_all(of.to, t, of.x + t * of.d, of.d);
}

}  // namespace axelram::portable
