#pragma once

#include <cstdint>

#include "axelram/codebook.hpp"
#include "axelram/parameters.hpp"

namespace axelram::kernels {

/// ROM of the indices of a record, or of one of its two parts (bit-contract.md#two-parts).
struct CodebookConstants {
  std::int32_t index_bits;
  std::int32_t boundaries[16];  ///< B_j, 2^b - 1 of them; of a trellis the 2^b upper level words
  std::int32_t centroids[32];   ///< C_j, 2^b of them; of a trellis 2^(b+1)
};

/// Parameters and ROMs of a macro as kernels receive them, by value. Ranges as in Parameters. The
/// base is the codebook: with the kind prod that of b - 1 bits, with a split that of sub-vector 0.
struct MacroConstants : CodebookConstants {
  std::int32_t head_dim, log2_dim, significand_bits, aligned_bits;
  std::int32_t boundary_fraction_bits, query_bits, centroid_bits, exact_bits;
  bool bf16, centered, unbiased;
  bool prod, split;     ///< records of two parts, at most one of both
  bool balanced;        ///< keys and queries are taken times powers of two
  std::int32_t states;  ///< of the trellis; 0: none
  double score_scale;
  /// Of the second part of a record: sub-vector 1, or residual signs as indices of one bit, whose
  /// centroids are 1 and -1; of 0 bits if there is no such part.
  CodebookConstants second;
  std::int32_t residual_levels[4];  ///< with prod: the upper half of the Gamma_j, 2^(b-2) of them
  std::uint32_t residual_scale;     ///< Z, with prod

  constexpr bool two_parts() const { return prod || split; }
  /// Elements of a part, or of the record without parts.
  constexpr std::int32_t part_dim() const { return split ? head_dim / 2 : head_dim; }
  constexpr std::int32_t record_bytes() const {
    return (part_dim() * (index_bits + second.index_bits) + (two_parts() ? 32 : 16)) / 8;
  }
  /// Words of all codebooks, as thresholds and reconstructions of a row have them.
  constexpr std::int32_t boundary_count() const {
    return (1 << index_bits) - 1 + (split ? (1 << second.index_bits) - 1 : 0);
  }
  constexpr std::int32_t level_count() const {
    const std::int32_t indices = (1 << index_bits) + (split ? 1 << second.index_bits : 0);
    return states != 0 ? 2 * indices : indices;
  }
};

/// rom: codebook_rom(parameters).
MacroConstants macro_constants(const Parameters& parameters, const CodebookRom& rom);

}  // namespace axelram::kernels
