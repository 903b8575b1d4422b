#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/fault.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twin of fault_mask_ref: same arguments, same mask, on every level. A level above
/// best_simd_level() is lowered to it.
void fault_mask(const FaultSite& site, std::size_t bits, std::uint64_t threshold,
                std::uint8_t* mask, SimdLevel level = simd_level());

}  // namespace axelram
