#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/exact.hpp"
#include "axelram/score.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twins of the *_ref units of scores: same arguments, same results bit for bit, on every
/// level. Shapes, units, ranges and citations are those of the twin; differences are stated here. A
/// level above best_simd_level() is lowered to it. No unit depends on the rounding or denormal mode
/// of the caller.

int round_query(const std::int32_t* y, int d, int query_bits, std::int32_t* u,
                SimdLevel level = simd_level());

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d,
                             SimdLevel level = simd_level());

/// Reads no byte beyond the last record.
std::size_t score_keys(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                       float* scores, std::int64_t* acc = nullptr, SimdLevel level = simd_level());

float score_sum(const ScoreTerm& first, const ScoreTerm& second, bool* saturated);

/// As score_keys.
std::size_t score_parts(const ScorePart& first, const ScorePart& second,
                        const std::uint8_t* records, std::size_t count, float* scores,
                        std::int64_t* first_acc = nullptr, std::int64_t* second_acc = nullptr,
                        SimdLevel level = simd_level());

}  // namespace axelram
