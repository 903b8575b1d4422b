#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"

/// Scores (bit-contract.md#read-3, bit-contract.md#read-4, bit-contract.md#exact,
/// bit-contract.md#split-score). All pointers are device memory.
namespace axelram::kernels {

/// Scores of row-major records of one part, for all parameters. Any bytes are legal:
///   accumulators[q, t] = sum_i u[q, i] * C[index_i of record t]      (null: not wanted)
///   scores[q, t]       = FP32 RNE of accumulator * norm * 2^exponents[q], saturated
/// u: [queries, d], |u| < 2^(query_bits - 1); exponents: [queries]; records: [tokens,
/// record_bytes], 2-byte aligned; accumulators and scores: [queries, tokens]. *saturated grows by
/// the number of scores that did (mod 2^32; null: not wanted).
void score_records(Stream& stream, const MacroConstants& constants, const std::int32_t* u,
                   const std::int32_t* exponents, std::size_t queries, const std::uint8_t* records,
                   std::size_t tokens, std::int64_t* accumulators, float* scores,
                   std::uint32_t* saturated);

/// Queries as round_queries writes them.
struct RoundedVectors {
  const std::int32_t* u = nullptr;                   ///< [count, d], |u_i| < 2^(query_bits - 1)
  const std::int32_t* exponents = nullptr;           ///< [count] e_u
  const std::int32_t* v = nullptr;                   ///< [count, d], likewise; with the kind prod
  const std::int32_t* residual_exponents = nullptr;  ///< [count] e_v
  std::size_t count = 0;
};

/// Output of score_parts, [queries, tokens]; null pointers are skipped but for `scores`.
struct PartScores {
  float* scores = nullptr;
  std::int64_t* accumulators = nullptr;           ///< acc; with a split [queries, tokens, 2]
  std::int64_t* residual_accumulators = nullptr;  ///< acc2, with the kind prod
  std::uint32_t* saturated = nullptr;             ///< as in score_records
};

/// Scores of row-major records of two parts, as score_records. A score is FP32 RNE of the exact sum
/// of both terms (bit-contract.md#split-score). Throws DeviceError for constants out of range or of
/// records of one part, and null pointers.
void score_parts(Stream& stream, const MacroConstants& constants, const RoundedVectors& queries,
                 const std::uint8_t* records, std::size_t tokens, const PartScores& out);

/// Copies of keys, as write_keys writes them, in any order.
struct KeyCopies {
  const std::int16_t* elements = nullptr;   ///< [count, d] h_i, |h_i| < 2^15
  const std::int32_t* exponents = nullptr;  ///< [count] e_k
  const std::int32_t* tokens = nullptr;     ///< [count] number of each token, none twice
  std::size_t count = 0;
};

/// Scores of exact tokens from their copies, in place of those that score_records has written:
///   accumulators[q, copies.tokens[i]] = sum_j u[q, j] * copies.elements[i, j]  (null: not wanted)
///   scores[q, copies.tokens[i]]       = FP32 RNE of accumulator * 2^(exponents[q] +
///                                       copies.exponents[i] + centroid_bits - 2), saturated
/// All other elements are left as they are. u, |u| < 2^15, exponents, accumulators and scores as
/// above; copies.tokens below `tokens`. *saturated grows by the number of these scores that
/// saturated; what score_records counted for the same tokens is not taken off.
/// Throws DeviceError for constants out of range or without `unbiased`, null pointers, more
/// copies than tokens, or more than 2097120 copies.
void score_copies(Stream& stream, const MacroConstants& constants, const std::int32_t* u,
                  const std::int32_t* exponents, std::size_t queries, const KeyCopies& copies,
                  std::size_t tokens, std::int64_t* accumulators, float* scores,
                  std::uint32_t* saturated);

/// The scores of paged keys, RowKind::records, against the `group` query heads of each KV head: the
/// same bits, by tensor cores, at the speed of memory; with a trellis too. query_bits and
/// centroid_bits at most 8, group 1..16.
///   lengths: [sequences], tokens of each, at most max_pages * page_tokens
///   u: [sequences, heads * group, d], 16-byte aligned; exponents: [sequences, heads * group]
///   scores: [sequences, heads * group, score_stride], 8-byte aligned, score_stride even; row
///   elements from the sequence's length (or score_stride) on are left as they are
///   accumulators: as scores, or null: not wanted
void score_tiles(Stream& stream, const MacroConstants& constants, const Pages& keys,
                 const BlockTable& table, const std::int32_t* lengths, std::int32_t group,
                 const std::int8_t* u, const std::int32_t* exponents, std::size_t score_stride,
                 float* scores, std::int32_t* accumulators);

/// Queries of tiles of records of two parts, as round_queries writes them; 16-byte aligned.
struct TileQueries {
  const std::int8_t* u8 = nullptr;                   ///< [sequences, heads * group, d]
  const std::int32_t* exponents = nullptr;           ///< [sequences, heads * group] e_u
  const std::int8_t* v8 = nullptr;                   ///< as u8; with the kind prod
  const std::int32_t* residual_exponents = nullptr;  ///< as exponents, e_v
};

/// The same of records of two parts (bit-contract.md#split-score), without accumulators.
void score_part_tiles(Stream& stream, const MacroConstants& constants, const Pages& keys,
                      const BlockTable& table, const std::int32_t* lengths, std::int32_t group,
                      const TileQueries& queries, std::size_t score_stride, float* scores);

}  // namespace axelram::kernels
