#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/feedback.hpp"
#include "axelram/norm.hpp"
#include "axelram/parameters.hpp"
#include "axelram/record.hpp"
#include "axelram/simd.hpp"
#include "axelram/trellis.hpp"

namespace axelram {

/// The fast twins of the *_ref units of keys: same arguments, same results bit for bit, on every
/// level. Shapes, units, ranges and citations are those of the twin; differences are stated here. A
/// level above best_simd_level() is lowered to it. No unit depends on the rounding or denormal mode
/// of the caller.

bool align(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
           std::int32_t* m, int* e, const std::int8_t* powers = nullptr,
           SimdLevel level = simd_level());

bool center(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
            int significand_bits, std::int32_t* m, int* e, const std::int8_t* powers = nullptr,
            SimdLevel level = simd_level());

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

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels, SimdLevel level = simd_level());

int residual(const std::int32_t* y, const std::uint8_t* indices, int d,
             const std::int32_t* reconstructions, int levels, int bits, std::int32_t* rho,
             SimdLevel level = simd_level());

void residual_signs(const std::int32_t* z, int d, std::uint8_t* signs);

/// correlation < 2^48.
Norm unbiased_norm(std::uint64_t square_sum, std::int64_t correlation, int exponent);

void pack_record(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                 std::uint8_t* record, SimdLevel level = simd_level());

void pack_parts(const RecordPart& first, const RecordPart& second, std::uint8_t* record,
                SimdLevel level = simd_level());

}  // namespace axelram
