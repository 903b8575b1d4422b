#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

// FP16 rows of a tiered cache (bit-contract.md#tier-rows): what the hot tier holds, and what an
// archive is made from.

/// A row as it arrives: FP16 RNE of d floats. False, and the row unspecified, where one is NaN or
/// infinite, or becomes infinite: |x| >= 65520.
bool hot_row_ref(const float* x, std::size_t d, std::uint16_t* row);

/// A row of a tier that is coded again: FP16 RNE of d decoded floats, saturated at +-65504, zero as
/// +0.
void recoded_row_ref(const float* decoded, std::size_t d, std::uint16_t* row);

/// Throws std::invalid_argument unless `count` FP16 elements that lie `next` apart are finite, as
/// those of rows are.
void check_finite(const std::uint16_t* x, std::size_t count, std::size_t next = 1);

}  // namespace axelram
