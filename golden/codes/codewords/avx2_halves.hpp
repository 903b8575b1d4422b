#pragma once

#include <immintrin.h>

#include <cstdint>

/// Registers as two halves of sixteen bytes: shuffles stay within one.

namespace axelram::avx2 {
namespace {

constexpr std::uint8_t kNone = 0x80;  // makes a byte of a shuffle zero

inline __m256i load(const void* from) {
  return _mm256_load_si256(static_cast<const __m256i*>(from));
}
inline __m128i load128(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

inline __m256i load_halves(const std::uint8_t* first, const std::uint8_t* second) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load128(first)), load128(second), 1);
}
inline void store_halves(std::uint8_t* first, std::uint8_t* second, __m256i bytes) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(first), _mm256_castsi256_si128(bytes));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(second), _mm256_extracti128_si256(bytes, 1));
}

}  // namespace
}  // namespace axelram::avx2
