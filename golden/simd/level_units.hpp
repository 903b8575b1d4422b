#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/simd.hpp"
#include "memory/similarity/slot_nearest.hpp"
#include "scores/dequantize/row_scaling.hpp"
#include "tiers/kivi/tier_reads.hpp"
#include "tiers/kivi/tier_writes.hpp"

namespace axelram {

/// A query whose words fit 8-bit multipliers: |u_i| and |C_j| up to 127.
struct DotQuery {
  const std::int8_t* u;
  const std::int8_t* centroids;
  int head_dim;
  int index_bits;
  int states;  ///< of the trellis; 0: none
};

/// Packed records. Loads end before `readable_end`.
struct Records {
  const std::uint8_t* first;
  std::size_t stride;
  std::size_t count;
  const std::uint8_t* readable_end;
  // Bytes of later records that are fetched meanwhile, for each record.
  const std::uint8_t* ahead = nullptr;
  std::size_t ahead_stride = 0;
};

/// Vectors of a Feedback. columns null: rank 1; otherwise u and a are null.
struct FeedbackRows {
  const float *weights, *u, *a, *columns;
};

/// Inputs and outputs of the rounding of scores; norms as stored.
struct ScoreRounding {
  const std::uint16_t* norms;
  std::size_t count;
  int exponent;
  float* scores;
};

/// One term of scores of two parts: acc * sigma * factor * 2^(exponent + epsilon).
struct SumTerm {
  const std::int32_t* acc;
  int exponent;
  double factor;
};

/// Inputs and outputs of the rounding of sums of two terms.
struct SumRounding {
  SumTerm first, second;
  const std::uint8_t* norms;  ///< of the first key: 16 bits of each term
  std::size_t stride;         ///< bytes from the norms of a key to those of the next
  std::size_t count;          ///< at most 256
  float* scores;
};

/// Units of each level. The sources of a level are compiled with its instruction set. They must not
/// emit any function that the linker could merge with one of another level: only the functions
/// declared below have external linkage, and no inline library function is called.
///
/// max_magnitude: largest x_i without its sign bit.
/// scale_*: m_i = RNE(x_i * 2^-e), finite elements, |m_i| < 2^20.
/// round_elements: as round_query_ref; u may be y.
/// quantize: ascending thresholds, count 1, 3, 7 or 15, d a multiple of 32.
/// encode_trellis: d a multiple of 32 up to 512, |y_i| and |reconstruction| up to 2^29.
/// encode_feedback, and with a trellis encode_feedback_path: d as there, index_bits 2..4.
///
/// correlation: 2, 4, 8, 16 or 32 words; d a multiple of 32.
///
/// residual: 2, 4 or 8 reconstructions; d a multiple of 32.
///
/// pack: indices only; index_bits 1..4, d a multiple of 32.
///
/// accumulate_copy: d a multiple of 32.
///
/// weighted_sums: acc_i += the sum over tokens of weight * centroids[level]; levels: rows of d for
/// each token; weights below 2^31; 4, 8, 16 or 32 centroids below 2^15; d a multiple of 32.
///
/// dot: acc = sum of u_i * C[index_i], one per record. index_bits 1..4; head_dim 32 to 256, on the
/// portable level also 16.
///
/// round_direct: |acc| < 2^24, -125 <= exponent <= 86.
///
/// round_any: |acc| < 2^39, any exponent within +-400; returns the number of saturated scores.
///
/// encode_kivi, encode_nuq, feed_back_run: tier_writes.hpp; false, and what is written unspecified,
/// if an element is not finite.
///
/// decode_kivi, score_kivi, sum_kivi, decode_nuq_rows, score_rows, sum_rows, sum_groups:
/// tier_reads.hpp.
///
/// nearest_slot: slot_nearest.hpp. scale_row: row_scaling.hpp.
///
/// begin_master, blend: begin_master_ref and blend_ref; d a multiple of 32.
///
/// round_sums: |acc| * 2047 * factor < 2^53, -102 <= exponent <= 67.
#define AXELRAM_DECLARE_UNITS                                                                      \
  std::uint16_t max_magnitude(const std::uint16_t* x, int d);                                      \
  void scale_fp16(const std::uint16_t* x, int d, int e, std::int32_t* m);                          \
  void scale_bf16(const std::uint16_t* x, int d, int e, std::int32_t* m);                          \
  std::uint64_t square_sum(const std::int32_t* m, int d);                                          \
  void hadamard(std::int32_t* x, int d);                                                           \
  void apply_signs(const std::int8_t* signs, std::int32_t* x, int d);                              \
  int round_elements(const std::int32_t* y, int d, int bits, std::int32_t* u);                     \
  void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,           \
                std::uint8_t* indices);                                                            \
  std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,  \
                               int index_bits, std::uint32_t root, int states,                     \
                               std::uint8_t* indices);                                             \
  std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,              \
                           const std::int32_t* centroids, int levels);                             \
  void residual(const std::int32_t* y, const std::uint8_t* indices, int d,                         \
                const std::int32_t* reconstructions, int levels, std::int32_t* difference);        \
  std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d);            \
  void weighted_sums(const std::uint8_t* levels, const std::uint32_t* weights, std::size_t tokens, \
                     int d, const std::int32_t* centroids, int count, std::int64_t* acc);          \
  void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record);             \
  void dot(const DotQuery& query, const Records& records, std::int32_t* acc);                      \
  void round_direct(const std::int32_t* acc, const ScoreRounding& rounding);                       \
  std::size_t round_any(const std::int64_t* acc, const ScoreRounding& rounding);                   \
  void round_sums(const SumRounding& rounding);                                                    \
  void score_kivi(const KiviBlockScores& of);                                                      \
  void sum_kivi(const KiviRowSums& of);                                                            \
  void decode_nuq_rows(const NuqRows& of);                                                         \
  void score_rows(const FloatRowScores& of);                                                       \
  void sum_rows(const FloatRowSums& of);                                                           \
  void sum_groups(const GroupSums& of);                                                            \
  NearestSlot nearest_slot(const SlotCosines& of);                                                 \
  void scale_row(const RowScaling& of);                                                            \
  void begin_master(const float* row, std::size_t d, std::uint16_t* master);                       \
  void blend(float eta, const float* row, std::size_t d, std::uint16_t* master);

namespace portable {
AXELRAM_DECLARE_UNITS
}
namespace avx2 {
AXELRAM_DECLARE_UNITS
void encode_feedback(const FeedbackRows& feedback, const std::int32_t* y, std::size_t keys, int d,
                     const float* levels, int index_bits, std::uint8_t* indices);
void encode_feedback_path(const FeedbackRows& feedback, const std::int32_t* y, std::size_t keys,
                          int d, const float* levels, int index_bits, int states,
                          std::uint8_t* indices);
bool encode_kivi(const KiviEncoding& of);
bool encode_nuq(const NuqEncoding& of);
void feed_back_run(const SquatFeedbackStep& of);
void decode_kivi(const KiviDecoding& of);
}  // namespace avx2
namespace avx512 {
AXELRAM_DECLARE_UNITS
decltype(avx2::encode_feedback) encode_feedback;
decltype(avx2::encode_feedback_path) encode_feedback_path;
decltype(avx2::encode_kivi) encode_kivi;
decltype(avx2::encode_nuq) encode_nuq;
decltype(avx2::feed_back_run) feed_back_run;
decltype(avx2::decode_kivi) decode_kivi;
}  // namespace avx512
#undef AXELRAM_DECLARE_UNITS

struct LevelUnits {
  decltype(&portable::max_magnitude) max_magnitude;
  decltype(&portable::scale_fp16) scale_fp16;
  decltype(&portable::scale_bf16) scale_bf16;
  decltype(&portable::square_sum) square_sum;
  decltype(&portable::hadamard) hadamard;
  decltype(&portable::apply_signs) apply_signs;
  decltype(&portable::round_elements) round_elements;
  decltype(&portable::quantize) quantize;
  decltype(&portable::encode_trellis) encode_trellis;
  // Null on the portable level.
  decltype(&avx2::encode_feedback) encode_feedback;
  decltype(&avx2::encode_feedback_path) encode_feedback_path;
  decltype(&avx2::encode_kivi) encode_kivi;
  decltype(&avx2::encode_nuq) encode_nuq;
  decltype(&avx2::feed_back_run) feed_back_run;
  decltype(&avx2::decode_kivi) decode_kivi;
  decltype(&portable::correlation) correlation;
  decltype(&portable::residual) residual;
  decltype(&portable::accumulate_copy) accumulate_copy;
  decltype(&portable::weighted_sums) weighted_sums;
  decltype(&portable::pack) pack;
  decltype(&portable::dot) dot;
  decltype(&portable::round_direct) round_direct;
  decltype(&portable::round_any) round_any;
  decltype(&portable::round_sums) round_sums;
  decltype(&portable::score_kivi) score_kivi;
  decltype(&portable::sum_kivi) sum_kivi;
  decltype(&portable::decode_nuq_rows) decode_nuq_rows;
  decltype(&portable::score_rows) score_rows;
  decltype(&portable::sum_rows) sum_rows;
  decltype(&portable::sum_groups) sum_groups;
  decltype(&portable::nearest_slot) nearest_slot;
  decltype(&portable::scale_row) scale_row;
  decltype(&portable::begin_master) begin_master;
  decltype(&portable::blend) blend;
};

/// The units of `level`, or of the best level that this CPU can run.
const LevelUnits& level_units(SimdLevel level);

}  // namespace axelram
