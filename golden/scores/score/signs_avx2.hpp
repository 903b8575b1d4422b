#pragma once

#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Sums of indices of one bit for 8 keys at a time: c_0 times the sum of all u_i, plus c_1 - c_0
/// times the sum of those whose bit is 1. Comparisons turn 32 bits into the bytes that select u_i.

namespace axelram::avx2 {
namespace {

inline __m256i add_lanes(__m256i a, __m256i b, __m256i c, __m256i d) {
  return _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
}

/// The sums of 8 keys from those of four and four, of which each has two halves.
inline __m256i add_halves(__m256i low, __m256i high) {
  return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                          _mm256_permute2x128_si256(low, high, 0x31));
}

template <int head_dim>
class SignDot {
 public:
  /// stride: bytes from a key to the next. query.index_bits is 1, and there is no trellis.
  SignDot(const DotQuery& query, std::size_t stride) : stride_(stride) {
    std::int32_t total = 0;
    for (int i = 0; i < head_dim; ++i) total += query.u[i];
    for (int word = 0; word < kWords; ++word) u_[word] = load(query.u + 32 * word);
    const std::int32_t unset = query.centroids[0], set = query.centroids[1];
    base_ = broadcast32(unset * total);
    difference_ = broadcast32(set - unset);
  }

  /// The sums of the 8 keys at `records`.
  __m256i group(const std::uint8_t* records) const {
    const __m256i selected = add_halves(four(records), four(records + 4 * stride_));
    return add32(base_, _mm256_mullo_epi32(selected, difference_));
  }

  /// Bytes from the start of the last key of a group that group() may read.
  static constexpr std::size_t kReach = head_dim / 8;

 private:
  static constexpr int kWords = head_dim / 32;

  __m256i four(const std::uint8_t* records) const {
    return add_lanes(key(records), key(records + stride_), key(records + 2 * stride_),
                     key(records + 3 * stride_));
  }

  /// The selected sum of one key, spread over the lanes.
  __m256i key(const std::uint8_t* record) const {
    // Byte i / 8 of a word to bytes i, and bit i % 8 there.
    const __m256i spread =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = broadcast64(0x8040201008040201);
    __m256i sums = zeros();
#pragma GCC unroll 8
    for (int word = 0; word < kWords; ++word) {
      std::int32_t bits;
      __builtin_memcpy(&bits, record + 4 * word, sizeof bits);
      const __m256i bytes = shuffle8(broadcast32(bits), spread);
      const __m256i is_one = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
      const __m256i selected = _mm256_and_si256(u_[word], is_one);
      // Words hold the sums of all pairs: 16 * 127 at most.
      sums = _mm256_add_epi16(sums, pair_sums16(broadcast8(1), selected));
    }
    return pair_sums32(sums, broadcast16(1));
  }

  std::size_t stride_;
  __m256i u_[kWords];
  __m256i base_;
  __m256i difference_;
};

}  // namespace
}  // namespace axelram::avx2
