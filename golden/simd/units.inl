// The units that SIMD levels have, a row each: AXELRAM_UNIT(name, type) on every level,
// AXELRAM_X86_UNIT on avx2 and avx512 alone. level_units.hpp makes prototypes and table of these
// rows. Structs of arguments are described beside their unit, in arguments.hpp.

#ifndef AXELRAM_X86_UNIT
#define AXELRAM_X86_UNIT AXELRAM_UNIT
#endif

// keys

/// Largest x_i without its sign bit.
AXELRAM_UNIT(max_magnitude, std::uint16_t(const std::uint16_t* x, int d))
/// Largest max(exponent field of x_i, 1) + powers[i], powers -8..8.
AXELRAM_UNIT(max_field,
             int(const std::uint16_t* x, const std::int8_t* powers, int d, int fraction_bits))
/// m_i = RNE(x_i * 2^(powers[i] - e)), finite elements, |m_i| < 2^20; powers -8..8, or null for 0.
AXELRAM_UNIT(scale_fp16,
             void(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m))
AXELRAM_UNIT(scale_bf16,
             void(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m))
AXELRAM_UNIT(square_sum, std::uint64_t(const std::int32_t* m, int d))
AXELRAM_UNIT(hadamard, void(std::int32_t* x, int d))
AXELRAM_UNIT(apply_signs, void(const std::int8_t* signs, std::int32_t* x, int d))
/// Ascending thresholds, count 1, 3, 7 or 15, d a multiple of 32.
AXELRAM_UNIT(quantize, void(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
                            std::uint8_t* indices))
/// d a multiple of 32 up to 512, |y_i| and |reconstruction| up to 2^29.
AXELRAM_UNIT(encode_trellis,
             std::uint32_t(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                           int index_bits, std::uint32_t root, int states, std::uint8_t* indices))
/// d as there, index_bits 2..4.
AXELRAM_X86_UNIT(encode_feedback,
                 void(const FeedbackRows& feedback, const std::int32_t* y, std::size_t keys, int d,
                      const float* levels, int index_bits, std::uint8_t* indices))
/// The same with a trellis.
AXELRAM_X86_UNIT(encode_feedback_path,
                 void(const FeedbackRows& feedback, const std::int32_t* y, std::size_t keys, int d,
                      const float* levels, int index_bits, int states, std::uint8_t* indices))
/// 2, 4, 8, 16 or 32 words; d a multiple of 32.
AXELRAM_UNIT(correlation, std::int64_t(const std::int32_t* y, const std::uint8_t* indices, int d,
                                       const std::int32_t* centroids, int levels))
/// 2, 4 or 8 reconstructions; d a multiple of 32.
AXELRAM_UNIT(residual,
             void(const std::int32_t* y, const std::uint8_t* indices, int d,
                  const std::int32_t* reconstructions, int levels, std::int32_t* difference))
/// Indices only; index_bits 1..4, d a multiple of 32.
AXELRAM_UNIT(pack, void(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record))

// scores

/// As round_query_ref; u may be y.
AXELRAM_UNIT(round_elements, int(const std::int32_t* y, int d, int bits, std::int32_t* u))
/// acc = sum of u_i * C[index_i], one per record. index_bits 1..4; head_dim 32 to 256, on the
/// portable level also 16.
AXELRAM_UNIT(dot, void(const DotQuery& query, const Records& records, std::int32_t* acc))
/// |acc| < 2^24, -125 <= exponent <= 86.
AXELRAM_UNIT(round_direct, void(const std::int32_t* acc, const ScoreRounding& rounding))
/// |acc| < 2^39, any exponent within +-400; returns the number of saturated scores.
AXELRAM_UNIT(round_any, std::size_t(const std::int64_t* acc, const ScoreRounding& rounding))
/// |acc| * 2047 * factor < 2^53, -102 <= exponent <= 67.
AXELRAM_UNIT(round_sums, void(const SumRounding& rounding))
/// d a multiple of 32.
AXELRAM_UNIT(accumulate_copy, std::int64_t(const std::int32_t* u, const std::int16_t* copy, int d))

// codes

/// Masks of `blocks` blocks of counters from (first, ...) on.
AXELRAM_UNIT(fault_blocks, void(const FaultStream& stream, std::uint32_t first, std::size_t blocks,
                                std::uint8_t* mask))

// attention

/// acc_i += the sum over tokens of weight * centroids[level]; levels: rows of d for each token;
/// weights below 2^31; 4, 8, 16 or 32 centroids below 2^15; d a multiple of 32.
AXELRAM_UNIT(weighted_sums,
             void(const std::uint8_t* levels, const std::uint32_t* weights, std::size_t tokens,
                  int d, const std::int32_t* centroids, int count, std::int64_t* acc))
AXELRAM_UNIT(sum_groups, void(const GroupSums& of))

// rows

AXELRAM_UNIT(scale_row, void(const RowScaling& of))
AXELRAM_UNIT(nearest_slot, NearestSlot(const SlotCosines& of))
/// begin_master_ref and blend_ref; d a multiple of 32.
AXELRAM_UNIT(begin_master, void(const float* row, std::size_t d, std::uint16_t* master))
AXELRAM_UNIT(blend, void(float eta, const float* row, std::size_t d, std::uint16_t* master))

// tiers

/// Encoders: false, and what is written unspecified, if an element is not finite.
AXELRAM_X86_UNIT(encode_kivi, bool(const KiviEncoding& of))
AXELRAM_X86_UNIT(encode_nuq, bool(const NuqEncoding& of))
AXELRAM_X86_UNIT(feed_back_run, void(const SquatFeedbackStep& of))
AXELRAM_X86_UNIT(decode_kivi, void(const KiviDecoding& of))
AXELRAM_UNIT(score_kivi, void(const KiviBlockScores& of))
AXELRAM_UNIT(sum_kivi, void(const KiviRowSums& of))
AXELRAM_UNIT(decode_nuq_rows, void(const NuqRows& of))
AXELRAM_UNIT(score_rows, void(const FloatRowScores& of))
AXELRAM_UNIT(sum_rows, void(const FloatRowSums& of))

#undef AXELRAM_UNIT
#undef AXELRAM_X86_UNIT
