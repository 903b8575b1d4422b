#pragma once

#include "scores/score/arguments.hpp"
#include "signs_avx2.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Sums of u_i * C[index_i] for 8 keys at a time. A register holds 64 indices, two to a byte; byte
/// shuffles look their centroids up. The multiplier saturates at 16 bits unless both factors stay
/// within 127, so the query enters as magnitudes and its signs move to the centroids.
/// Levels of a trellis (bit-contract.md#trellis) are made from the same bytes and the two before.

namespace axelram::avx2 {
namespace {

constexpr int kGroup = 8;  // keys
constexpr int kUnit = 64;  // indices in a register
constexpr int kMaxUnits = 4;

/// Stride: std::size_t, or Fixed.
template <int index_bits, int head_dim, int states, class Stride>
class Dot {
 public:
  /// stride: bytes from a key to the next.
  Dot(const DotQuery& query, Stride stride) : stride_(stride) {
    alignas(32) std::int8_t lower[16];
    alignas(32) std::int8_t upper[16];
    for (int t = 0; t < 16; ++t) {
      if constexpr (states != 0) {
        // At bits 0..b-1 an index whose lowest bit is z1, then z0; with 4 bits z0 selects the
        // table.
        const int level = 2 * (t % kLevels), z0 = t / kLevels % 2;
        lower[t] = query.centroids[level + z0];
        upper[t] = query.centroids[level + 1];
        continue;
      }
      lower[t] = query.centroids[t % kLevels];
      // Only two 2-bit indices fit the 16-entry lookup at once.
      upper[t] = query.centroids[index_bits == 2 ? t / kLevels : t % kLevels];
    }
    lower_ = broadcast(lower);
    upper_ = broadcast(upper);
    for (int unit = 0; unit < kUnits; ++unit) {
      alignas(32) std::int8_t even[32];
      alignas(32) std::int8_t odd[32];
      for (int t = 0; t < 32; ++t) {
        const int element = unit * kUnit + 2 * t;
        even[t] = query.u[element % head_dim];
        odd[t] = query.u[element % head_dim + 1];
      }
      even_[unit] = _mm256_load_si256(reinterpret_cast<const __m256i*>(even));
      odd_[unit] = _mm256_load_si256(reinterpret_cast<const __m256i*>(odd));
    }
  }

  /// The sums of the 8 keys at `records`.
  __m256i group(const std::uint8_t* records) const {
    if constexpr (head_dim == 32) {
      const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
      const __m256i sums = add_lanes(key(records), key(records + 2 * stride_),
                                     key(records + 4 * stride_), key(records + 6 * stride_));
      return _mm256_permutevar8x32_epi32(sums, order);
    } else {
      return add_halves(four(records), four(records + 4 * stride_));
    }
  }

 private:
  static constexpr int kLevels = 1 << index_bits;
  static constexpr int kUnits = head_dim < kUnit ? 1 : head_dim / kUnit;

 public:
  /// Bytes from the start of the last key of a group that group() may read.
  static constexpr std::size_t kReach =
      (kUnits - 1) * kUnit * index_bits / 8 + kUnit / 2 * index_bits / 8 + 16;

 private:
  static __m256i broadcast(const std::int8_t* table) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
  }

  static __m128i load128(const std::uint8_t* bits) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bits));
  }

  /// The low 2 * width bits of each byte in two bytes of `width` bits.
  template <int width>
  static __m256i halves(__m256i bytes) {
    const __m256i words = _mm256_unpacklo_epi8(bytes, _mm256_setzero_si256());
    return _mm256_and_si256(_mm256_or_si256(words, _mm256_slli_epi16(words, 8 - width)),
                            _mm256_set1_epi8((1 << width) - 1));
  }

  /// 64 indices, two in the low bits of each byte, other bits zero.
  __m256i load(const std::uint8_t* bits) const {
    // The second half of a register comes from the same key, or from its neighbour.
    const std::uint8_t* const second =
        bits + (head_dim < kUnit ? std::size_t{stride_} : kUnit / 2 * index_bits / 8);
    const __m256i raw =
        _mm256_inserti128_si256(_mm256_castsi128_si256(load128(bits)), load128(second), 1);
    if constexpr (index_bits == 4) {
      return raw;
    } else if constexpr (index_bits == 2) {
      return halves<4>(raw);
    } else if constexpr (index_bits == 1) {
      return halves<2>(halves<4>(raw));
    } else {
      // Three bytes to a doubleword, then its fields of 6 bits to bytes: two by each multiplier.
      const __m256i spread = _mm256_broadcastsi128_si256(
          _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
      const __m256i x = _mm256_shuffle_epi8(raw, spread);
      const __m256i bytes02 =
          _mm256_or_si256(_mm256_and_si256(x, _mm256_set1_epi32(0x3F)),
                          _mm256_and_si256(_mm256_slli_epi32(x, 4), _mm256_set1_epi32(0x3F0000)));
      const __m256i bytes13 =
          _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi32(x, 2), _mm256_set1_epi32(0x3F00)),
                          _mm256_and_si256(_mm256_slli_epi32(x, 6), _mm256_set1_epi32(0x3F000000)));
      return _mm256_or_si256(bytes02, bytes13);
    }
  }

  /// Pairs of indices one byte earlier in the key, zeros before it; `before` are the pairs of the
  /// register before, or zeros.
  template <int bytes>
  static __m256i earlier(__m256i pairs, __m256i before) {
    if constexpr (head_dim < kUnit) return _mm256_bslli_epi128(pairs, bytes);
    return _mm256_alignr_epi8(pairs, _mm256_permute2x128_si256(before, pairs, 0x21), 16 - bytes);
  }

  static __m256i bit(__m256i bytes, int at, int to) {
    const __m256i moved =
        at < to ? _mm256_slli_epi16(bytes, to - at) : _mm256_srli_epi16(bytes, at - to);
    return _mm256_and_si256(moved, _mm256_set1_epi8(static_cast<char>(1 << to)));
  }

  /// Centroids of the first and of the second index of each byte.
  struct Pair {
    __m256i first, second;
  };

  Pair trellis_centroids(__m256i pairs, __m256i before) const {
    constexpr int b = index_bits;
    const __m256i one = earlier<1>(pairs, before), two = earlier<2>(pairs, before);
    const __m256i index = _mm256_set1_epi8(kLevels - 1);
    const __m256i first = _mm256_and_si256(pairs, index);
    const __m256i second = _mm256_and_si256(_mm256_srli_epi16(pairs, b), index);
    // z1 beside x, at bit 0; x_(i-1) and x_(i-3) are at bit b, x_(i-2) and x_(i-4) at bit 0.
    if constexpr (states == 4)
      return {centroids(_mm256_xor_si256(first, bit(one, 0, 0)), bit(one, b, b)),
              centroids(_mm256_xor_si256(second, bit(one, b, 0)), bit(pairs, 0, b))};
    const __m256i of_first = _mm256_xor_si256(bit(one, b, 0), bit(two, states == 8 ? b : 0, 0));
    const __m256i of_second =
        _mm256_xor_si256(bit(pairs, 0, 0), states == 8 ? bit(one, 0, 0) : bit(two, b, 0));
    return {centroids(_mm256_xor_si256(first, of_first), bit(one, 0, b)),
            centroids(_mm256_xor_si256(second, of_second), bit(one, b, b))};
  }

  /// index: of b bits, z1 the lowest one. z0: at bit b.
  __m256i centroids(__m256i index, __m256i z0) const {
    if constexpr (index_bits < 4) return _mm256_shuffle_epi8(lower_, _mm256_or_si256(index, z0));
    return _mm256_blendv_epi8(_mm256_shuffle_epi8(lower_, index),
                              _mm256_shuffle_epi8(upper_, index), _mm256_slli_epi16(z0, 3));
  }

  Pair plain_centroids(__m256i indices) const {
    __m256i first = indices;
    __m256i second = indices;
    if constexpr (index_bits != 2)
      second =
          _mm256_and_si256(_mm256_srli_epi16(indices, index_bits), _mm256_set1_epi8(kLevels - 1));
    if constexpr (index_bits == 4) first = _mm256_and_si256(first, _mm256_set1_epi8(0x0F));
    return {_mm256_shuffle_epi8(lower_, first), _mm256_shuffle_epi8(upper_, second)};
  }

  static __m256i products(__m256i centroids, __m256i u) {
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(u), _mm256_sign_epi8(centroids, u));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  }

  /// The sums of one key (of two at d = 32), spread over the lanes.
  __m256i key(const std::uint8_t* record) const {
    __m256i sum = _mm256_setzero_si256();
    __m256i before = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int unit = 0; unit < kUnits; ++unit) {
      const __m256i indices = load(record + unit * kUnit * index_bits / 8);
      const Pair pair = states != 0 ? trellis_centroids(indices, before) : plain_centroids(indices);
      before = indices;
      sum = _mm256_add_epi32(sum, products(pair.first, even_[unit]));
      sum = _mm256_add_epi32(sum, products(pair.second, odd_[unit]));
    }
    return sum;
  }

  __m256i four(const std::uint8_t* records) const {
    return add_lanes(key(records), key(records + stride_), key(records + 2 * stride_),
                     key(records + 3 * stride_));
  }

  Stride stride_;
  __m256i lower_;
  __m256i upper_;
  __m256i even_[kMaxUnits];
  __m256i odd_[kMaxUnits];
};

void store_sums(std::int32_t* to, __m256i sums, std::size_t count) {
  alignas(32) std::int32_t all[kGroup];
  _mm256_store_si256(reinterpret_cast<__m256i*>(all), sums);
  __builtin_memcpy(to, all, count * sizeof all[0]);
}

}  // namespace
}  // namespace axelram::avx2
