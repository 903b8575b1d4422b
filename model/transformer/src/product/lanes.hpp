#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstring>
#include <utility>

/// Vectors of floats of one level. Nothing here has external linkage: the linker would keep one
/// copy, and an older CPU might meet the instructions of a newer one.

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

/// Floats of a vector, and partial sums of a dot product. Levels differ in the number of partial
/// sums or in how they round, so that a comparison of two of them shows what the order of sums does
/// to a result.
#if defined(__AVX512F__)
constexpr std::size_t kWidth = 16, kLanes = 8;
constexpr std::size_t kTileVectors = 4;  ///< of a row of a tile: 6 rows leave registers to spare
#elif defined(__AVX2__)
constexpr std::size_t kWidth = 8, kLanes = 4;
constexpr std::size_t kTileVectors = 2;
#else
constexpr std::size_t kWidth = 4, kLanes = 4;
constexpr std::size_t kTileVectors = 2;
#endif
constexpr std::size_t kTileRows = 6;

using Vector [[gnu::vector_size(kWidth * sizeof(float))]] = float;
using HalfVector [[gnu::vector_size(kWidth / 2 * sizeof(float))]] = float;
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

/// Not std::min, which is a template with external linkage.
constexpr std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

template <class V>
V load(const float* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class V>
void store(float* to, const V& v) {
  std::memcpy(to, &v, sizeof v);
}

/// kLanes floats once for every column of a vector.
inline Vector repeat(const float* from) {
#if defined(__AVX512F__)
  return _mm512_broadcast_f32x8(_mm256_loadu_ps(from));
#elif defined(__AVX2__)
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
#else
  return load<Vector>(from);
#endif
}

inline Vector splat(float x) {
#if defined(__AVX512F__)
  return _mm512_set1_ps(x);
#elif defined(__AVX2__)
  return _mm256_set1_ps(x);
#else
  return Vector{x, x, x, x};
#endif
}

/// sum + a b, rounded once where there is an instruction for it, otherwise twice.
template <class V>
V add_product(const V& a, const V& b, const V& sum) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return _mm512_fmadd_ps(a, b, sum);
  else
    return _mm256_fmadd_ps(a, b, sum);
#elif defined(__AVX2__)
  if constexpr (sizeof(V) == 32)
    return _mm256_fmadd_ps(a, b, sum);
  else
    return _mm_fmadd_ps(a, b, sum);
#else
  return sum + a * b;
#endif
}

template <std::size_t apart, class V, std::size_t... i>
V fold(const V& a, const V& b, std::index_sequence<i...>) {
  constexpr std::size_t size = sizeof...(i);
  const V here = __builtin_shufflevector(a, b, ((i & apart) == 0 ? i : i + size)...);
  const V there =
      __builtin_shufflevector(a, b, ((i & apart) == 0 ? i + apart : i - apart + size)...);
  return here + there;
}

/// Sums of elements `apart` places from each other: those of a at the places without this bit,
/// those of b at the others.
template <std::size_t apart, class V>
V fold(const V& a, const V& b) {
  return fold<apart>(a, b, std::make_index_sequence<sizeof(V) / sizeof(float)>());
}

}  // namespace
}  // namespace axelram::transformer::AXELRAM_LEVEL
