#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"

/// Scores (bit-contract.md#read-3, bit-contract.md#read-4). All pointers are device memory.
namespace axelram::kernels {

/// Scores of row-major records, for all parameters. Any bytes are legal:
///   accumulators[q, t] = sum_i u[q, i] * C[index_i of record t]      (null: not wanted)
///   scores[q, t]       = FP32 RNE of accumulator * norm * 2^exponents[q], saturated
/// u: [queries, d], |u| < 2^(query_bits - 1); exponents: [queries]; records: [tokens,
/// record_bytes], 2-byte aligned; accumulators and scores: [queries, tokens]. *saturated grows by
/// the number of scores that did (mod 2^32; null: not wanted).
void score_records(Stream& stream, const MacroConstants& constants, const std::int32_t* u,
                   const std::int32_t* exponents, std::size_t queries, const std::uint8_t* records,
                   std::size_t tokens, std::int64_t* accumulators, float* scores,
                   std::uint32_t* saturated);

/// The scores of paged keys, RowKind::records, against the `group` query heads of each KV head: the
/// same bits, by tensor cores, at the speed of memory. query_bits and centroid_bits at most 8,
/// group 1..16.
///   lengths: [sequences], tokens of each, at most max_pages * page_tokens
///   u: [sequences, heads * group, d], 16-byte aligned; exponents: [sequences, heads * group]
///   scores: [sequences, heads * group, score_stride], 8-byte aligned, score_stride even; row
///   elements from the sequence's length (or score_stride) on are left as they are
///   accumulators: as scores, or null: not wanted
void score_tiles(Stream& stream, const MacroConstants& constants, const Pages& keys,
                 const BlockTable& table, const std::int32_t* lengths, std::int32_t group,
                 const std::int8_t* u, const std::int32_t* exponents, std::size_t score_stride,
                 float* scores, std::int32_t* accumulators);

}  // namespace axelram::kernels
