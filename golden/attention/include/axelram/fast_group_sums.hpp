#pragma once

#include <cstddef>

#include "axelram/group_sums.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twin of sum_groups_ref: same arguments, same results bit for bit, on every level. A
/// level above best_simd_level() is lowered to it. Does not depend on the rounding or denormal mode
/// of the caller. d: at most 256.
void sum_groups(const GroupedRows& of, const float* weights, std::size_t queries,
                std::size_t weight_stride, double* sums, std::size_t sum_stride,
                SimdLevel level = simd_level());

}  // namespace axelram
