#pragma once

/// Encoders with feedback against the hardware's, as a cache writes its rows, at simd_level().
/// claimed: whether a bar is checked. False if one fails.
bool bench_feedback(int d, int index_bits, bool claimed);
