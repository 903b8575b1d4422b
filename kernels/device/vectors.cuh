#pragma once

#include <cstdint>

namespace axelram::kernels {

/// 8 and 16 bytes that move in one load or store; addresses are multiples of the size.
struct alignas(8) Words2 {
  std::uint32_t w[2];
};
struct alignas(16) Words4 {
  std::uint32_t w[4];
};
/// FP16 bits, two elements of a register; the lower half comes first.
using Half2 = std::uint32_t;

}  // namespace axelram::kernels
