#pragma once

#include <cstdint>

#include "axelram/simd.hpp"
#include "axelram/squat.hpp"

namespace axelram {

/// The fast twin of encode_squat_ref: same arguments, same results bit for bit, on every level. It
/// does not depend on the rounding or denormal mode of the caller.
void encode_squat(const KiviLayout& keys, const SquatFeedback& feedback, const std::uint16_t* x,
                  std::uint8_t* block, SimdLevel level = simd_level());

}  // namespace axelram
