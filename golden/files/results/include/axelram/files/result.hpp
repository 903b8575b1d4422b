#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/attention_tensors.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Result of a macro for one trace (bit-contract.md#result). It does not depend on the engine, so
/// all engines write the same bytes. Row-major; T = tokens, Q = queries, d = head_dim. With a split
/// a row has the elements or words of sub-vector 0 and then those of 1, and [2] is an axis of the
/// two; without one there is no such axis. Members are in the order of the file.
struct Result {
  std::size_t tokens = 0;
  std::size_t queries = 0;
  int head_dim = 128;
  int index_bits = 3;              ///< b; without effect with a split
  bool trellis = false;            ///< levels, path_costs and reconstructions, no thresholds
  bool prod = false;               ///< reconstructions and the tensors of residuals
  int split_high = 0;              ///< h; 0: no split
  int split_low = 0;               ///< l
  bool unbiased = false;           ///< an unbiased scale; without it no tensor `correlations`
  std::size_t codeword_bytes = 0;  ///< 0: no ECC, and no tensor `codewords`
  bool has_copies = false;         ///< exact tokens; without them no tensor `exact` or `exact_*`
  std::size_t copies = 0;          ///< C: tokens that hold a copy after the last key
  std::size_t command_count = 0;   ///< rows of `commands`, for attention->refused

  std::vector<std::uint8_t> indices;                   ///< U8 [T, d]
  std::vector<std::uint8_t> levels;                    ///< U8 [T, d]
  std::vector<std::uint8_t> residual_signs;            ///< U8 [T, d], t_i
  std::vector<std::uint16_t> norms;                    ///< F16 [T] [2], raw
  std::vector<std::uint16_t> residual_norms;           ///< F16 [T], raw
  std::vector<std::int32_t> residual_shifts;           ///< I32 [T], h
  std::vector<std::int64_t> correlations;              ///< I64 [T] [2], A
  std::vector<std::uint32_t> path_costs;               ///< U32 [T] [2]
  std::vector<std::int32_t> thresholds;                ///< I32 [T, number of B_j]
  std::vector<std::int32_t> reconstructions;           ///< I32 [T, number of levels], R_j
  std::vector<std::uint8_t> records;                   ///< U8 [T, record_bytes()]
  std::vector<std::uint8_t> codewords;                 ///< U8 [T, codeword_bytes]
  std::vector<std::uint8_t> exact;                     ///< U8 [T], 1 where the scores are of a copy
  std::vector<std::int16_t> exact_keys;                ///< I16 [C, d], h_i
  std::vector<std::int32_t> exact_exponents;           ///< I32 [C], e_k
  std::vector<std::int32_t> rotated_queries;           ///< I32 [Q, d], u_i
  std::vector<std::int32_t> query_exponents;           ///< I32 [Q], e_u
  std::vector<std::int32_t> residual_queries;          ///< I32 [Q, d], v_i
  std::vector<std::int32_t> residual_query_exponents;  ///< I32 [Q], e_v
  std::vector<std::int64_t> accumulators;              ///< I64 [Q, T] [2]
  std::vector<std::int64_t> residual_accumulators;     ///< I64 [Q, T]
  std::vector<float> scores;                           ///< F32 [Q, T]
  std::optional<AttentionTensors> attention;           ///< of a macro that attends

  double score_scale = 0;  ///< CodebookRom::score_scale
  double kappa = 0;
  double second_kappa = 0;                         ///< of sub-vector 1
  std::vector<std::int32_t> centroids;             ///< ROM words C_j, one for each level, ascending
  std::vector<std::int32_t> boundaries;            ///< ROM words B_j, ascending; a trellis none
  std::vector<std::int32_t> reconstruction_words;  ///< Lambda_j of a trellis, Gamma_j of prod
  std::uint32_t residual_scale = 0;                ///< Z of prod

  bool split() const { return split_high != 0; }
  std::size_t parts() const { return split() ? 2 : 1; }  ///< vectors of a key, each with a norm
  /// Levels of sub-vector j; of the whole key without a split.
  std::size_t levels_of(std::size_t j) const;
  std::size_t level_count() const;     ///< of all vectors of a key
  std::size_t boundary_count() const;  ///< the same; of a trellis 0
  std::size_t record_bytes() const;
};

/// Gives every tensor the size that the result's sizes ask for; new elements are 0.
void size_tensors(Result* result);

/// Elements of all tensors.
std::size_t value_count(const Result& result);

/// Throws like write_safetensors, and std::logic_error if a vector does not match the sizes.
void write_result(const std::string& path, const Result& result, bool force);

/// Throws InputError for a file that write_result would not write.
Result read_result(const std::string& path);
Result result_from(const Safetensors& file);

/// First difference of two results, in file order. Bits are compared, so +0 differs from -0.
struct Difference {
  std::string name;  ///< tensor, or metadata key, or "shape of NAME"
  std::optional<std::size_t> row;
  std::optional<std::size_t> column;
  std::string first;   ///< the value in the first result
  std::string second;  ///< the value in the second one

  std::string text() const;  ///< "accumulators, row 3, column 17: 120 against 121"
};

std::optional<Difference> first_difference(const Result& first, const Result& second);

}  // namespace axelram::files
