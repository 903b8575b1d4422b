#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// acc = sum of table[i][index_i], exact (bit-contract.md#read-4; references.md#axelram, section
/// III.B, step 3). table: as score_table_ref wrote it; indices: d values below `levels`.
std::int64_t accumulate_ref(const std::int32_t* table, int d, int levels,
                            const std::uint8_t* indices);

/// The score of one key (bit-contract.md#read-4): FP32 RNE of acc * sigma * 2^(e_u + epsilon),
/// rounded once, with norm = sigma * 2^epsilon as decode_norm reads it. Exact zero is +0,
/// subnormals are kept, a nonzero value that underflows to zero keeps its sign. If the exact
/// magnitude exceeds FLT_MAX, the result is
/// +-FLT_MAX and *saturated is true (false otherwise). Integer code: bit-exact on every platform.
/// |acc| < 2^39; |e_u| < 10000.
float score_ref(std::int64_t acc, std::uint16_t norm, int e_u, bool* saturated);

/// One rounded query and the centroid ROM of the keys (bit-contract.md#read-1,
/// bit-contract.md#read-2).
struct ScoreQuery {
  const std::int32_t* u;          ///< d rounded elements, |u_i| < 2^15
  int exponent;                   ///< e_u
  int head_dim;                   ///< d: 32, 64, 128 or 256
  int index_bits;                 ///< b: 2, 3 or 4
  const std::int32_t* centroids;  ///< 2^b words C_j, |C_j| < 2^15; of a trellis 2^(b+1)
  int states = 0;                 ///< of the trellis that the indices went through; 0: none
};

/// The scores of `count` records that lie one after the other, by unpack_record_ref,
/// trellis_level_ref with a trellis, score_table_ref, accumulate_ref and score_ref; any record
/// bytes are legal. scores: count results; acc: count exact sums, or null. Returns the number of
/// scores clamped to +-FLT_MAX.
std::size_t score_keys_ref(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                           float* scores, std::int64_t* acc);

/// One of the two terms of a score: acc * sigma * factor * 2^(exponent + epsilon), with norm =
/// sigma * 2^epsilon.
struct ScoreTerm {
  std::int64_t acc;      ///< below 2^39
  std::uint16_t norm;    ///< FP16 bits; any
  std::uint32_t factor;  ///< Z of a residual term (bit-contract.md#residual-6), or 1
  int exponent;          ///< |exponent| < 10000
};

/// The score of a record of two parts (bit-contract.md#split-score): FP32 RNE of the exact sum of
/// both terms, rounded once; zero, sign, subnormals and saturation as score_ref. Terms other than 0
/// lie at most 50 binary places apart.
float score_sum_ref(const ScoreTerm& first, const ScoreTerm& second, bool* saturated);

/// Inputs of a query that score one part of the records.
struct ScorePart {
  const std::int32_t* u;          ///< d rounded elements, |u_i| < 2^15
  int exponent;                   ///< of the term
  int d;                          ///< elements: 16..256
  int index_bits;                 ///< 1..4
  const std::int32_t* centroids;  ///< 2^index_bits words; of a trellis twice as many; of residual
                                  ///< signs {1, -1}
  int states;                     ///< of the trellis; 0: none
  std::uint32_t factor;           ///< of the term
};

/// The scores of `count` records of two parts that lie one after the other; any record bytes are
/// legal. scores: count results; first_acc, second_acc: count exact sums, or null. Returns the
/// number of scores clamped to +-FLT_MAX.
std::size_t score_parts_ref(const ScorePart& first, const ScorePart& second,
                            const std::uint8_t* records, std::size_t count, float* scores,
                            std::int64_t* first_acc, std::int64_t* second_acc);

}  // namespace axelram
