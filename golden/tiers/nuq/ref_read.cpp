#include "axelram/float_row.hpp"
#include "axelram/nuq_read.hpp"

namespace axelram {

void score_nuq_ref(const NuqLayout& keys, const std::vector<std::uint16_t>& levels,
                   const NuqRanges& ranges, const std::uint8_t* rows, std::size_t row_count,
                   const float* queries, std::size_t count, std::size_t query_stride, float* scores,
                   std::size_t score_stride) {
  std::vector<float> key(keys.d);
  for (std::size_t t = 0; t < row_count; ++t) {
    decode_nuq_ref(keys, levels, ranges, rows + t * keys.bytes(), key.data());
    for (std::size_t i = 0; i < count; ++i)
      scores[i * score_stride + t] =
          lane_dot_ref(queries + i * query_stride, key.data(), key.size());
  }
}

void sum_nuq_ref(const NuqLayout& values, const std::vector<std::uint16_t>& levels,
                 const std::uint8_t* rows, std::size_t row_count, const float* weights,
                 std::size_t count, std::size_t weight_stride, float* sums,
                 std::size_t sum_stride) {
  std::vector<float> row(values.d);
  for (std::size_t t = 0; t < row_count; ++t) {
    decode_nuq_ref(values, levels, {nullptr, nullptr}, rows + t * values.bytes(), row.data());
    for (std::size_t i = 0; i < count; ++i)
      add_weighted_ref(weights[i * weight_stride + t], row.data(), row.size(),
                       sums + i * sum_stride);
  }
}

}  // namespace axelram
