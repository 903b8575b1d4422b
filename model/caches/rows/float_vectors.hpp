#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/parameters.hpp"

namespace axelram::caches {

/// Floats to raw elements, RNE with subnormals kept: double_to_element of each. False if one of
/// them has no finite element; the elements are undefined then. Requires the default rounding mode.
bool to_elements(const float* x, std::size_t count, ElementFormat format, std::uint16_t* elements);

/// FP16 numbers to floats, exact. Requires that subnormals are kept.
void from_halves(const std::uint16_t* halves, std::size_t count, float* x);

/// Rounds floats to FP16 and back, in place. False, leaving them unchanged, if one of them has no
/// finite element.
bool round_to_half(float* x, std::size_t count);

/// True if all floats are finite.
bool all_finite(const float* x, std::size_t count);

/// True if x has a finite element.
bool fits_half(float x);
bool fits_bfloat16(float x);

/// x = H_d x in place, H_d the unnormalised Sylvester matrix: hadamard_ref on floats. d: a power of
/// two; scratch: d floats.
void hadamard(float* x, float* scratch, int d);

}  // namespace axelram::caches
