#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/parameters.hpp"

namespace axelram::caches {

/// Floats to raw elements, RNE with subnormals kept: double_to_element in bulk. False where one of
/// them has no finite element; the elements are without meaning then. Needs the default rounding
/// mode.
bool to_elements(const float* x, std::size_t count, ElementFormat format, std::uint16_t* elements);

/// Rounds floats to FP16 and back, in place; false as above.
bool round_to_half(float* x, std::size_t count);

/// True where no float is infinite or NaN.
bool all_finite(const float* x, std::size_t count);

/// x has a finite element.
bool fits_half(float x);
bool fits_bfloat16(float x);

}  // namespace axelram::caches
