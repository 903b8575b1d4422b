#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/attention.hpp"
#include "axelram/kernels/attention.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

/// Parameters and ROM of the attention (bit-contract.md#attention-parameters), by value.
struct AttentionConstants {
  std::int32_t weight_bits;
  bool fp32;  ///< outputs; otherwise FP16
  std::uint32_t softmax_significand, value_significand;
  std::int32_t softmax_exponent, value_exponent;
  std::int32_t power_bases[64], power_slopes[64];  ///< PowerOfTwoRom
};

/// rom: codebook_rom of the parameters that `attention` is checked against.
AttentionConstants attention_constants(const AttentionParameters& attention,
                                       const CodebookRom& rom);

/// Output of attend_in_order in device memory, members of AttentionResult; null pointers are
/// skipped. q: query heads, t: tokens.
struct AttendedInOrder {
  std::int32_t* logits = nullptr;             ///< [q, t]
  std::uint8_t* logit_saturated = nullptr;    ///< [q, t] 1 or 0
  std::uint32_t* weights = nullptr;           ///< [q, t]
  std::int32_t* weight_references = nullptr;  ///< [q, t]
  std::int32_t* maxima = nullptr;             ///< [q]
  std::uint64_t* denominators = nullptr;      ///< [q]
  std::int64_t* sums = nullptr;               ///< [q, d]
  std::int32_t* output_shifts = nullptr;      ///< [q]
  std::int32_t* rotated = nullptr;            ///< [q, d]
  std::uint32_t* reciprocals = nullptr;       ///< [q]
  std::uint32_t* outputs = nullptr;           ///< [q, d] bits of the format
  std::uint8_t* output_saturated = nullptr;   ///< [q] 1 or 0
};

/// The attention of each query head over the same tokens, the oldest first, in the integers of the
/// contract: the bits of attend_ref. A warp takes a query head and walks the tokens in order.
/// signs: [d], those of the queries; scores: [queries, tokens], finite; records: [tokens,
/// record_bytes] of the values, 2-byte aligned. All device memory.
/// Throws DeviceError for constants out of range or of records of two parts, and null pointers.
void attend_in_order(Stream& stream, const MacroConstants& constants,
                     const AttentionConstants& attention, const std::int8_t* signs,
                     const float* scores, std::size_t queries, const std::uint8_t* records,
                     std::size_t tokens, const AttendedInOrder& out);

/// The same of every query over the tokens that it sees, in pages of records and, of keys, in exact
/// rows: out FP32 [count, heads * group, d]. A warp takes a query head. shape.scale and
/// shape.splits have no say.
/// Throws DeviceError for shapes that contradict each other, and for rows that are not records of
/// one part.
void attend_pages_in_order(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                           const AttentionQueries& queries, const AttentionConstants& attention,
                           float* out);

}  // namespace axelram::kernels
