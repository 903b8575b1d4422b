#pragma once

#include <cstddef>

#include "axelram/simd.hpp"

/// Scores of records of two parts at this level, and their write path at simd_level(), against
/// those of one part. claimed: whether the bars of scores are checked. False if one fails.
bool bench_parts(std::size_t keys, axelram::SimdLevel level, bool claimed);
