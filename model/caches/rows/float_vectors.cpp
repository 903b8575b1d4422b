#include "rows/float_vectors.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace axelram::caches {
namespace {

constexpr std::uint32_t kMagnitude = 0x7FFFFFFF;
constexpr std::uint32_t kInfinity = 0x7F800000;
// The smallest magnitudes that RNE rounds to infinity: for FP16, 65520 = 65504 + half a unit.
constexpr std::uint32_t kHalfOverflow = 0x477FF000;
constexpr std::uint32_t kBfloat16Overflow = 0x7F7F8000;
constexpr std::uint32_t kHalfNormal = 0x38800000;  // 2^-14
constexpr std::uint32_t kRebias = (127 - 15) << 23;

std::uint32_t magnitude(float x) { return std::bit_cast<std::uint32_t>(x) & kMagnitude; }

std::uint32_t largest(const float* x, std::size_t count) {
  std::uint32_t max = 0;
  for (std::size_t i = 0; i < count; ++i) max = magnitude(x[i]) > max ? magnitude(x[i]) : max;
  return max;
}

/// a if `first`, otherwise b, without a branch: loops over it become vectors.
std::uint32_t chosen(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

std::uint16_t half_of(float x) {
  const std::uint32_t size = magnitude(x);
  const std::uint32_t sign = (std::bit_cast<std::uint32_t>(x) >> 16) & 0x8000;
  const std::uint32_t normal = (size + 0xFFF + ((size >> 13) & 1) - kRebias) >> 13;
  // For x < 0.5 the unit of 0.5 + x is 2^-24, that of FP16 subnormals: the addition rounds.
  const float shifted = std::bit_cast<float>(size) + 0.5F;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - 0x3F000000;
  return static_cast<std::uint16_t>(sign | chosen(size < kHalfNormal, subnormal, normal));
}

/// RNE to 11 significant bits, or to a multiple of 2^-24.
float rounded_to_half(float x) {
  const std::uint32_t size = magnitude(x);
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(x) & ~kMagnitude;
  const std::uint32_t normal = (size + 0xFFF + ((size >> 13) & 1)) & ~std::uint32_t{0x1FFF};
  const float subnormal = (std::bit_cast<float>(size) + 0.5F) - 0.5F;
  return std::bit_cast<float>(
      sign | chosen(size < kHalfNormal, std::bit_cast<std::uint32_t>(subnormal), normal));
}

std::uint16_t bfloat16_of(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// Sums and differences of neighbours: H_2 on the lowest bit of the index, which becomes the
/// highest bit. After log2(d) stages every bit is back in its position. Each stage is the same loop
/// over whole vectors (Pease 1968).
void stage(const float* __restrict from, float* __restrict to, int half) {
  for (int i = 0; i < half; ++i) {
    const float a = from[2 * i], b = from[2 * i + 1];
    to[i] = a + b;
    to[i + half] = a - b;
  }
}

}  // namespace

bool to_elements(const float* x, std::size_t count, ElementFormat format, std::uint16_t* elements) {
  if (format == ElementFormat::fp16) {
    for (std::size_t i = 0; i < count; ++i) elements[i] = half_of(x[i]);
    return largest(x, count) < kHalfOverflow;
  }
  for (std::size_t i = 0; i < count; ++i) elements[i] = bfloat16_of(x[i]);
  return largest(x, count) < kBfloat16Overflow;
}

void from_halves(const std::uint16_t* halves, std::size_t count, float* x) {
  // The exponent of FP16 in a float is 2^-112 times its value; subnormals too.
  constexpr float kScale = 0x1p112F;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t half = halves[i];
    const float size = std::bit_cast<float>((half & 0x7FFF) << 13) * kScale;
    x[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | (half & 0x8000) << 16);
  }
}

bool round_to_half(float* x, std::size_t count) {
  if (largest(x, count) >= kHalfOverflow) return false;
  for (std::size_t i = 0; i < count; ++i) x[i] = rounded_to_half(x[i]);
  return true;
}

bool all_finite(const float* x, std::size_t count) { return largest(x, count) < kInfinity; }

bool fits_half(float x) { return magnitude(x) < kHalfOverflow; }
bool fits_bfloat16(float x) { return magnitude(x) < kBfloat16Overflow; }

void hadamard(float* x, float* scratch, int d) {
  float *from = x, *to = scratch;
  for (int size = 1; size < d; size *= 2) {
    stage(from, to, d / 2);
    std::swap(from, to);
  }
  if (from != x) std::copy_n(from, d, x);
}

}  // namespace axelram::caches
