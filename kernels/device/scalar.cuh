#pragma once

#include <cstdint>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#include <bit>
#include <cmath>

#include "axelram/half.hpp"
#include "device/vectors.cuh"

/// Operations that a thread computes in one instruction; on the host, the same in plain C++.
namespace axelram::kernels {

AXELRAM_HD int count_ones(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return __popc(x);
#else
  return std::popcount(x);
#endif
}
/// 32 and 64 of zero.
AXELRAM_HD int leading_zeros(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  return __clz(static_cast<int>(x));
#else
  return std::countl_zero(x);
#endif
}
AXELRAM_HD int leading_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(x));
#else
  return std::countl_zero(x);
#endif
}
/// Number of the lowest one; x is not 0.
AXELRAM_HD int lowest_one(std::uint32_t x) { return 31 - leading_zeros(x & (0U - x)); }

/// (mask & a) | (~mask & b), in one instruction even if the mask is a constant.
AXELRAM_HD std::uint32_t select_bits(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  std::uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(d) : "r"(mask), "r"(a), "r"(b));
  return d;
#else
  return (mask & a) | (~mask & b);
#endif
}

/// Result byte i is byte select[4i .. 4i + 2] of the eight bytes a, b (b is bytes 4..7). Bit 3 of
/// every nibble of `select` must be 0; its upper half does not matter.
AXELRAM_HD std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t select) {
#ifdef __CUDA_ARCH__
  // Not __byte_perm, which clears those bits once more.
  std::uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(select));
  return result;
#else
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (select >> (4 * i) & 7)) & 0xFF);
    result |= byte << (8 * i);
  }
  return result;
#endif
}
/// c + the sum of the products of four signed bytes.
AXELRAM_HD std::int32_t dot4(std::uint32_t a, std::uint32_t b, std::int32_t c) {
#if defined(__CUDA_ARCH__)
  return __dp4a(static_cast<int>(a), static_cast<int>(b), c);
#else
  for (int i = 0; i < 4; ++i)
    c += static_cast<std::int8_t>(a >> (8 * i)) * static_cast<std::int8_t>(b >> (8 * i));
  return c;
#endif
}
/// The lower word of (high, low) >> (shift mod 32).
AXELRAM_HD std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (shift & 31U));
#endif
}

AXELRAM_HD float float_of_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}
AXELRAM_HD std::uint32_t bits_of_float(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return std::bit_cast<std::uint32_t>(x);
#endif
}
/// 2^exponent, exponent -126..127.
AXELRAM_HD float power_of_two(int exponent) {
  return float_of_bits(static_cast<std::uint32_t>(exponent + 127) << 23);
}
/// power: -1022..1023.
AXELRAM_HD constexpr double double_power_of_two(int power) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
}
/// 2^x to about 2 units in the last place; subnormal results are 0.
AXELRAM_HD float exp2_fast(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return x < -126.0F ? 0.0F : std::exp2(x);
#endif
}

/// The square root within a relative 2^-23, of 0 or of what is no subnormal.
AXELRAM_HD float sqrt_fast(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::sqrt(x);
#endif
}

/// The larger magnitudes of two pairs of FP16 or BF16 elements; 0x7FFF if either is a NaN.
template <bool kBf16>
AXELRAM_HD std::uint32_t max_magnitudes(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  std::uint32_t d;
  if (kBf16)
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a & 0x7FFF7FFFU), "r"(b & 0x7FFF7FFFU));
  else
    asm("{.reg .b32 a, b;\n abs.f16x2 a, %1;\n abs.f16x2 b, %2;\n max.NaN.f16x2 %0, a, b;}"
        : "=r"(d)
        : "r"(a), "r"(b));
  return d;
#else
  constexpr std::uint32_t kInfinity = kBf16 ? 0x7F80 : 0x7C00;
  const auto one = [](std::uint32_t x, std::uint32_t y) {
    const std::uint32_t largest = (x & 0x7FFFU) > (y & 0x7FFFU) ? x & 0x7FFFU : y & 0x7FFFU;
    return largest > kInfinity ? 0x7FFFU : largest;
  };
  return one(a >> 16, b >> 16) << 16 | one(a, b);
#endif
}

/// FP16 bits: exact, and RNE with overflow to infinity.
AXELRAM_HD float float_of_half(std::uint16_t bits) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(bits));
#else
  return static_cast<float>(half_to_double(bits));
#endif
}
AXELRAM_HD std::uint16_t half_of_float(float x) {
#ifdef __CUDA_ARCH__
  return __half_as_ushort(__float2half_rn(x));
#else
  return double_to_half(x);
#endif
}
AXELRAM_HD std::uint16_t half_of_double(double x) {
#ifdef __CUDA_ARCH__
  return __half_as_ushort(__double2half(x));
#else
  return double_to_half(x);
#endif
}
AXELRAM_HD void floats_of_half2(Half2 bits, float& low, float& high) {
#ifdef __CUDA_ARCH__
  asm("{.reg .b16 l, h;\n mov.b32 {l, h}, %2;\n cvt.f32.f16 %0, l;\n cvt.f32.f16 %1, h;}"
      : "=f"(low), "=f"(high)
      : "r"(bits));
#else
  low = float_of_half(static_cast<std::uint16_t>(bits));
  high = float_of_half(static_cast<std::uint16_t>(bits >> 16));
#endif
}
AXELRAM_HD Half2 half2_of_floats(float low, float high) {
#ifdef __CUDA_ARCH__
  const __half2 h = __floats2half2_rn(low, high);
  return static_cast<Half2>(__half_as_ushort(h.y)) << 16 | __half_as_ushort(h.x);
#else
  return static_cast<Half2>(half_of_float(high)) << 16 | half_of_float(low);
#endif
}
/// Two operations on FP32 numbers, which must be exact or rounded as FP16 would be in one step.
template <class Operation>
Half2 half2_by_element(Half2 a, Half2 b, Operation operation) {
  const auto one = [&](Half2 x, Half2 y) {
    return half_of_float(operation(float_of_half(static_cast<std::uint16_t>(x)),
                                   float_of_half(static_cast<std::uint16_t>(y))));
  };
  return static_cast<Half2>(one(a >> 16, b >> 16)) << 16 | one(a, b);
}
AXELRAM_HD Half2 half2_subtract(Half2 a, Half2 b) {
#ifdef __CUDA_ARCH__
  Half2 d;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
#else
  return half2_by_element(a, b, [](float x, float y) { return x - y; });
#endif
}
/// Subnormal factors and products are kept.
AXELRAM_HD Half2 half2_multiply(Half2 a, Half2 b) {
#ifdef __CUDA_ARCH__
  Half2 d;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
#else
  return half2_by_element(a, b, [](float x, float y) { return x * y; });
#endif
}
/// The same of BF16 elements.
AXELRAM_HD std::uint32_t bfloat2_multiply(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  std::uint32_t d;  // a product plus -0
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x80008000U));
  return d;
#else
  const auto one = [](std::uint32_t x, std::uint32_t y) -> std::uint32_t {
    return double_to_bfloat16(double{float_of_bits(x)} * double{float_of_bits(y)});
  };
  return one(a & 0xFFFF0000U, b & 0xFFFF0000U) << 16 | one(a << 16, b << 16);
#endif
}
/// a * b + c rounded to odd: if it is not exact, the neighbour whose last bit is 1. A further
/// rounding to at most 51 bits is then that of the exact value (references.md#round-to-odd). A sum
/// of 0 is +0. Nothing may overflow or underflow.
AXELRAM_HD double multiply_add_odd(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  const double down = __fma_rd(a, b, c), up = __fma_ru(a, b, c);
  return (__double2loint(down) & 1) != 0 ? down : up;
#else
  // The error of an FMA is a sum of two doubles, of which this is the larger
  // (references.md#error-of-fma).
  const double nearest = std::fma(a, b, c);
  const auto sum = [](double x, double y, double* error) {
    const double s = x + y, of_y = s - x;
    *error = (x - (s - of_y)) + (y - of_y);
    return s;
  };
  const double product = a * b;
  double lower = 0, upper = 0;
  const double low = sum(c, std::fma(a, b, -product), &lower), high = sum(product, low, &upper);
  const double error = ((high - nearest) + upper) + lower;
  const auto bits = std::bit_cast<std::uint64_t>(nearest);
  if (error == 0 || (bits & 1) != 0) return nearest;
  return std::bit_cast<double>((error > 0) == (nearest > 0) ? bits + 1 : bits - 1);
#endif
}

/// a * b + c with one rounding.
AXELRAM_HD float multiply_add(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return std::fma(a, b, c);
#endif
}

}  // namespace axelram::kernels
