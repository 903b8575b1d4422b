#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Result of a macro for one trace (bit-contract.md#result). It does not depend on the engine, so
/// all engines write the same bytes. Row-major; T = tokens, Q = queries, d = head_dim, b =
/// index_bits. Members are in the order of the file.
struct Result {
  std::size_t tokens = 0;
  std::size_t queries = 0;
  int head_dim = 128;
  int index_bits = 3;
  bool trellis = false;            ///< levels, path_costs and reconstructions, no thresholds
  bool unbiased = false;           ///< an unbiased scale; without it no tensor `correlations`
  std::size_t codeword_bytes = 0;  ///< 0: no ECC, and no tensor `codewords`
  bool has_copies = false;         ///< exact tokens; without them no tensor `exact` or `exact_*`
  std::size_t copies = 0;          ///< C: tokens that hold a copy after the last key

  std::vector<std::uint8_t> indices;          ///< U8 [T, d]
  std::vector<std::uint8_t> levels;           ///< U8 [T, d]
  std::vector<std::uint16_t> norms;           ///< F16 [T], raw
  std::vector<std::int64_t> correlations;     ///< I64 [T], A
  std::vector<std::uint32_t> path_costs;      ///< U32 [T]
  std::vector<std::int32_t> thresholds;       ///< I32 [T, 2^b - 1]
  std::vector<std::int32_t> reconstructions;  ///< I32 [T, 2^(b+1)], R_j
  std::vector<std::uint8_t> records;          ///< U8 [T, record_bytes()]
  std::vector<std::uint8_t> codewords;        ///< U8 [T, codeword_bytes]
  std::vector<std::uint8_t> exact;            ///< U8 [T], 1 where the scores are of a copy
  std::vector<std::int16_t> exact_keys;       ///< I16 [C, d], h_i
  std::vector<std::int32_t> exact_exponents;  ///< I32 [C], e_k
  std::vector<std::int32_t> rotated_queries;  ///< I32 [Q, d], u_i
  std::vector<std::int32_t> query_exponents;  ///< I32 [Q], e_u
  std::vector<std::int64_t> accumulators;     ///< I64 [Q, T]
  std::vector<float> scores;                  ///< F32 [Q, T]

  double score_scale = 0;  ///< CodebookRom::score_scale
  double kappa = 0;
  std::vector<std::int32_t> centroids;   ///< 2^b ROM words C_j, ascending j; a trellis 2^(b+1)
  std::vector<std::int32_t> boundaries;  ///< 2^b - 1 ROM words B_j, ascending j; a trellis none
  std::vector<std::int32_t> reconstruction_words;  ///< 2^(b+1) words Lambda_j of a trellis

  std::size_t record_bytes() const {
    return (static_cast<std::size_t>(head_dim) * static_cast<std::size_t>(index_bits) + 16) / 8;
  }
};

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
