#include "axelram/float_row.hpp"
#include "simd/level_units.hpp"
#include "tiers/float_row/arguments.hpp"

namespace axelram::portable {
namespace {

void add_to_all(const RowWeights& to, std::size_t t, const float* row, std::size_t d) {
  for (std::size_t i = 0; i < to.count; ++i)
    add_weighted_ref(to.weights[i * to.weight_stride + t], row, d, to.sums + i * to.sum_stride);
}

}  // namespace

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
