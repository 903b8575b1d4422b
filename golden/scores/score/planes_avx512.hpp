#pragma once

#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Sums of indices of one bit for 16 keys at a time: c_0 times the sum of all u_i, plus c_1 - c_0
/// times the sum of those whose bit is 1. The latter is the number of ones in the bits of a key and
/// in a bit plane of u, 2^plane times. A register holds the 8 planes of 64 elements.

namespace axelram::avx512 {
namespace {

template <int head_dim>
class PlaneDot {
 public:
  /// stride: bytes from a key to the next. query.index_bits is 1, and there is no trellis.
  PlaneDot(const DotQuery& query, std::size_t stride) : stride_(stride) {
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i total = _mm512_setzero_si512();
    for (int word = 0; word < kWords; ++word) {
      const __mmask64 present = head_dim == 32 ? 0xFFFFFFFF : ~__mmask64{0};
      const __m512i u = _mm512_maskz_loadu_epi8(present, query.u + 64 * word);
      alignas(64) std::uint64_t planes[8];
      for (int plane = 0; plane < 8; ++plane)
        planes[plane] = _mm512_test_epi8_mask(u, _mm512_set1_epi8(static_cast<char>(1 << plane)));
      planes_[word] = _mm512_load_si512(planes);
      total = _mm512_dpbusd_epi32(total, ones, u);
    }
    const std::int32_t unset = query.centroids[0], set = query.centroids[1];
    base_ = _mm512_set1_epi32(unset * _mm512_reduce_add_epi32(total));
    difference_ = _mm512_set1_epi32(set - unset);
  }

  /// The sums of the 16 keys at `records`.
  __m512i group(const std::uint8_t* records) const {
    // Weights of planes 0 to 3 and 4 to 7, the last of them the sign.
    const __m512i low_weights = _mm512_set1_epi32(0x08040201);
    const __m512i high_weights = _mm512_set1_epi32(static_cast<int>(0x80402010));
    __m512i selected = _mm512_setzero_si512();
#pragma GCC unroll 2
    for (int word = 0; word < kWords; word += 2) {
      const __m512i first = counts(records, word);
      const __m512i second = counts(records + 8 * stride_, word);
      selected = _mm512_dpbusd_epi32(selected, _mm512_inserti64x4(first, lower_half(second), 1),
                                     low_weights);
      selected =
          _mm512_dpbusd_epi32(selected, _mm512_shuffle_i64x2(first, second, 0xEE), high_weights);
    }
    return _mm512_add_epi32(base_, _mm512_mullo_epi32(selected, difference_));
  }

  /// Bytes from the start of the last key of a group that group() may read.
  static constexpr std::size_t kReach = head_dim / 8;

 private:
  static constexpr int kWords = head_dim <= 64 ? 1 : head_dim / 64;

  /// Ones of 8 keys in at most 128 elements, a byte each, at most 128: four planes of key k in
  /// doubleword k, the others in doubleword k + 8.
  __m512i counts(const std::uint8_t* records, int word) const {
    __m512i packed = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int key = 0; key < 8; ++key, records += stride_) {
      __m512i count = ones(records, word);
      if constexpr (kWords > 1) count = _mm512_add_epi64(count, ones(records, word + 1));
      packed = _mm512_shrdi_epi64(packed, count, 8);  // its low byte to the top
    }
    return _mm512_permutexvar_epi8(_mm512_load_si512(kOrder.order), packed);
  }

  /// Ones of a key in each plane.
  __m512i ones(const std::uint8_t* record, int word) const {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, record + 8 * word, head_dim == 32 ? 4 : 8);
    const __m512i all = _mm512_set1_epi64(static_cast<long long>(bits));
    return _mm512_popcnt_epi64(_mm512_and_si512(all, planes_[word]));
  }

  struct Order {
    constexpr Order() {
      for (int t = 0; t < 64; ++t) {
        const int key = t / 4 % 8, plane = t / 32 * 4 + t % 4;
        order[t] = static_cast<std::uint8_t>(8 * plane + key);
      }
    }
    alignas(64) std::uint8_t order[64] = {};
  };
  static constexpr Order kOrder{};

  std::size_t stride_;
  __m512i planes_[kWords];
  __m512i base_;
  __m512i difference_;
};

}  // namespace
}  // namespace axelram::avx512
