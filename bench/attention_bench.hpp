#pragma once

#include <cstddef>

#include "axelram/simd.hpp"

/// The attention of a query head over `tokens` tokens at this level, against its reference.
/// claimed: whether the bars are checked. False if one fails.
bool bench_attention(std::size_t tokens, axelram::SimdLevel level, bool claimed);
