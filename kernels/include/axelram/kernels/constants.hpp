#pragma once

#include <cstdint>

#include "axelram/codebook.hpp"
#include "axelram/parameters.hpp"

namespace axelram::kernels {

/// Parameters and ROMs of a macro as kernels receive them, by value. Ranges as in Parameters.
struct MacroConstants {
  std::int32_t head_dim, log2_dim, index_bits, significand_bits, aligned_bits;
  std::int32_t boundary_fraction_bits, query_bits, centroid_bits, exact_bits;
  bool bf16, centered, unbiased;
  std::int32_t states;          ///< of the trellis; 0: none
  std::int32_t boundaries[16];  ///< B_j, 2^b - 1 of them; of a trellis the 2^b upper level words
  std::int32_t centroids[32];   ///< C_j, 2^b of them; of a trellis 2^(b+1)
  double score_scale;

  std::int32_t record_bytes() const { return (head_dim * index_bits + 16) / 8; }
};

/// rom: codebook_rom(parameters).
MacroConstants macro_constants(const Parameters& parameters, const CodebookRom& rom);

}  // namespace axelram::kernels
