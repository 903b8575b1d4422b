#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/exact.hpp"
#include "axelram/feedback.hpp"
#include "axelram/norm.hpp"
#include "axelram/parameters.hpp"
#include "axelram/record.hpp"
#include "axelram/score.hpp"
#include "axelram/simd.hpp"
#include "axelram/trellis.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {

/// The fast twins of the *_ref units: same arguments, same results bit for bit, on every level.
/// Shapes, units, ranges and citations are those of the twin; differences are stated here. A level
/// above best_simd_level() is lowered to it. No unit depends on the rounding or denormal mode of
/// the caller.

bool align(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
           std::int32_t* m, int* e, SimdLevel level = simd_level());

bool center(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
            int significand_bits, std::int32_t* m, int* e, SimdLevel level = simd_level());

std::uint64_t square_sum(const std::int32_t* m, int d, SimdLevel level = simd_level());

std::uint32_t root(std::uint64_t square_sum);

Norm norm(std::uint32_t root, int e);

void hadamard(std::int32_t* x, int d, SimdLevel level = simd_level());

/// |x_i| < 2^31.
void rotate(const std::int8_t* signs, std::int32_t* x, int d, SimdLevel level = simd_level());

/// Thresholds ascending, as thresholds_ref makes them from ascending words; |y_i| < 2^31.
void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices, SimdLevel level = simd_level());

/// y as a key of the macro has it: |y_i| <= 2^28, and no path costs 2^32. index_bits 1..4.
std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                             int index_bits, std::uint32_t root, int states, std::uint8_t* indices,
                             SimdLevel level = simd_level());

void encode_feedback(const Feedback& feedback, const std::int32_t* y, std::size_t keys, int d,
                     const float* levels, int index_bits, int states, std::uint8_t* indices,
                     SimdLevel level = simd_level());

void trellis_level(const std::uint8_t* indices, int d, int states, std::uint8_t* levels);

int round_query(const std::int32_t* y, int d, int query_bits, std::int32_t* u,
                SimdLevel level = simd_level());

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels, SimdLevel level = simd_level());

int residual(const std::int32_t* y, const std::uint8_t* indices, int d,
             const std::int32_t* reconstructions, int levels, int bits, std::int32_t* rho,
             SimdLevel level = simd_level());

void residual_signs(const std::int32_t* z, int d, std::uint8_t* signs);

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d,
                             SimdLevel level = simd_level());

/// correlation < 2^48.
Norm unbiased_norm(std::uint64_t square_sum, std::int64_t correlation, int exponent);

void pack_record(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                 std::uint8_t* record, SimdLevel level = simd_level());

void pack_parts(const RecordPart& first, const RecordPart& second, std::uint8_t* record,
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

/// The fast units at simd_level(), for a Macro, a Datapath or a KeyStore.
const UnitTable& fast_units();

}  // namespace axelram
