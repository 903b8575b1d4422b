#include <algorithm>

#include "axelram/fast_nuq_read.hpp"
#include "decoder.hpp"
#include "simd/float_environment.hpp"
#include "tiers/float_row/arguments.hpp"

namespace axelram {

void score_nuq(const NuqLayout& keys, const std::vector<std::uint16_t>& levels,
               const NuqRanges& ranges, const std::uint8_t* rows, std::size_t row_count,
               const float* queries, std::size_t count, std::size_t query_stride, float* scores,
               std::size_t score_stride, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const NuqDecoder decoder(keys, levels, ranges, level);
  for (std::size_t t = 0; t < row_count; t += NuqDecoder::kRows) {
    const std::size_t some = std::min(row_count - t, NuqDecoder::kRows);
    float x[NuqDecoder::kRows * NuqDecoder::kWidest];
    decoder.decode(rows + t * keys.bytes(), some, x);
    decoder.units().score_rows(
        {x, some, keys.d, queries, count, query_stride, scores + t, score_stride});
  }
}

void sum_nuq(const NuqLayout& values, const std::vector<std::uint16_t>& levels,
             const std::uint8_t* rows, std::size_t row_count, const float* weights,
             std::size_t count, std::size_t weight_stride, float* sums, std::size_t sum_stride,
             SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const NuqDecoder decoder(values, levels, {nullptr, nullptr}, level);
  for (std::size_t t = 0; t < row_count; t += NuqDecoder::kRows) {
    const std::size_t some = std::min(row_count - t, NuqDecoder::kRows);
    float x[NuqDecoder::kRows * NuqDecoder::kWidest];
    decoder.decode(rows + t * values.bytes(), some, x);
    decoder.units().sum_rows(
        {x, some, values.d, {weights + t, count, weight_stride, sums, sum_stride}});
  }
}

}  // namespace axelram
