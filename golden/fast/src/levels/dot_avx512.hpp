#pragma once

#include "../level_units.hpp"
#include "vector.hpp"

/// Sums of u_i * C[index_i] for 16 keys at a time. A register of 128 indices, two to a byte: the
/// packed bits are cut into bytes by one permutation and one multishift, two 64-entry lookups turn
/// each byte into its two centroids, and two VNNI instructions multiply and add.

namespace axelram::avx512 {
namespace {

constexpr int kGroup = 16;  // keys
constexpr int kUnit = 128;  // indices in a register

/// Byte positions for the permutations; a register has 8 slots of 16 indices.
template <int index_bits, int head_dim>
struct Layout {
  static constexpr int kStride = head_dim * index_bits / 8 + 2;
  static constexpr int kKeysPerUnit = head_dim < kUnit ? kUnit / head_dim : 1;
  static constexpr int kUnits = head_dim > kUnit ? head_dim / kUnit : 1;

  /// Four keys lie in the order 0, 2, 1, 3, as two merged pairs do.
  static constexpr int key(int slot) {
    if (kKeysPerUnit == 1) return 0;
    const int place = slot * 16 / head_dim;
    if (kKeysPerUnit == 2) return place;
    return place == 1 ? 2 : place == 2 ? 1 : place;
  }

  constexpr Layout() {
    for (int t = 0; t < 64; ++t) {
      const int slot = t / 8;
      const int element = slot * 16 % head_dim;
      const int byte = key(slot) * kStride + element * index_bits / 8 + t % 8;
      spread[t] = static_cast<std::uint8_t>(byte & 63);
      cut[t] = static_cast<std::uint8_t>(t % 8 * 2 * index_bits);
      even[t] = static_cast<std::uint8_t>(element + t % 8 * 2);
      odd[t] = static_cast<std::uint8_t>(element + t % 8 * 2 + 1);
      lower[t] = static_cast<std::uint8_t>(t % (1 << index_bits));
      // Two 4-bit indices do not fit the 64-entry lookup; they are shifted first.
      upper[t] = index_bits == 4 ? lower[t] : static_cast<std::uint8_t>(t >> index_bits);
      upper[t] = static_cast<std::uint8_t>(upper[t] % (1 << index_bits));
    }
  }

  alignas(64) std::uint8_t spread[64] = {};  ///< the packed bytes of a slot to its quadword
  alignas(64) std::uint8_t cut[64] = {};     ///< first bit of each byte in its quadword
  alignas(64) std::uint8_t even[64] = {};    ///< elements of the first indices of the bytes
  alignas(64) std::uint8_t odd[64] = {};     ///< elements of the second
  alignas(64) std::uint8_t lower[64] = {};   ///< first index in a byte of this value
  alignas(64) std::uint8_t upper[64] = {};   ///< second index
};

template <int index_bits, int head_dim>
class Dot {
 public:
  explicit Dot(const DotQuery& query) {
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(kOffset));
    const __mmask64 levels = (__mmask64{1} << (1 << index_bits)) - 1;
    const __m512i centroids =
        _mm512_xor_si512(_mm512_maskz_loadu_epi8(levels, query.centroids), offset);
    lower_ = _mm512_permutexvar_epi8(_mm512_load_si512(kLayout.lower), centroids);
    upper_ = _mm512_permutexvar_epi8(_mm512_load_si512(kLayout.upper), centroids);

    __m512i total = _mm512_setzero_si512();
    constexpr __mmask64 kFirst = head_dim == 32 ? 0xFFFFFFFF : ~__mmask64{0};
    constexpr __mmask64 kSecond = head_dim < kUnit ? 0 : ~__mmask64{0};
    for (int i = 0; i < kUnits; ++i) {
      const __m512i first = _mm512_maskz_loadu_epi8(kFirst, query.u + i * kUnit);
      const __m512i second = _mm512_maskz_loadu_epi8(kSecond, query.u + i * kUnit + 64);
      even_[i] = _mm512_permutex2var_epi8(first, _mm512_load_si512(kLayout.even), second);
      odd_[i] = _mm512_permutex2var_epi8(first, _mm512_load_si512(kLayout.odd), second);
      total = _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(total, offset, first), offset, second);
    }
    // The first lane of each key starts at what the offset of the centroids adds up to.
    constexpr __mmask16 kStarts = kKeysPerUnit == 1 ? 0x0001 : kKeysPerUnit == 2 ? 0x0101 : 0x1111;
    start_ = _mm512_maskz_set1_epi32(kStarts, -_mm512_reduce_add_epi32(total));
  }

  /// The sums of the 16 keys at `records`.
  __m512i group(const std::uint8_t* records) const {
    // Merging leaves key k at lane 4 * order(k % 4) + order(k / 4), order = 0, 2, 1, 3.
    const __m512i order = _mm512_setr_epi32(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
    return _mm512_permutexvar_epi32(order, sums<kGroup>(records));
  }

 private:
  using Place = Layout<index_bits, head_dim>;
  static constexpr Place kLayout{};
  static constexpr int kStride = Place::kStride;
  static constexpr int kKeysPerUnit = Place::kKeysPerUnit;
  static constexpr int kUnits = Place::kUnits;
  // The multiplier takes one unsigned operand: C + 128.
  static constexpr std::int32_t kOffset = 128;

 public:
  /// Bytes from the start of a group that group() may read.
  static constexpr std::size_t kReach =
      (kGroup - 1) * kStride + (kUnits - 1) * 16 * index_bits + 64;

 private:
  /// 128 indices, two in the low bits of each byte.
  __m512i load(const std::uint8_t* bits) const {
    if constexpr (index_bits < 4) {
      const __m512i spread =
          _mm512_permutexvar_epi8(_mm512_load_si512(kLayout.spread), _mm512_loadu_si512(bits));
      return _mm512_multishift_epi64_epi8(_mm512_load_si512(kLayout.cut), spread);
    } else if constexpr (kKeysPerUnit == 1) {
      return _mm512_loadu_si512(bits);
    } else if constexpr (kKeysPerUnit == 2) {
      return _mm512_inserti64x4(_mm512_castsi256_si512(load256(bits)), load256(bits + kStride), 1);
    } else {
      __m512i all = _mm512_castsi128_si512(load128(bits));
      all = _mm512_inserti32x4(all, load128(bits + 2 * kStride), 1);
      all = _mm512_inserti32x4(all, load128(bits + kStride), 2);
      return _mm512_inserti32x4(all, load128(bits + 3 * kStride), 3);
    }
  }

  static __m256i load256(const std::uint8_t* bits) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits));
  }
  static __m128i load128(const std::uint8_t* bits) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bits));
  }

  __m512i unit(const std::uint8_t* bits) const {
    __m512i sum = start_;
#pragma GCC unroll 2
    for (int i = 0; i < kUnits; ++i) {
      const __m512i indices = load(bits + i * kUnit * index_bits / 8);
      const __m512i next = index_bits < 4 ? indices : _mm512_srli_epi16(indices, 4);
      sum = _mm512_dpbusd_epi32(sum, _mm512_permutexvar_epi8(indices, lower_), even_[i]);
      sum = _mm512_dpbusd_epi32(sum, _mm512_permutexvar_epi8(next, upper_), odd_[i]);
    }
    return sum;
  }

  /// The sums of `keys` keys, each spread over 16 / keys lanes.
  template <int keys>
  __m512i sums(const std::uint8_t* records) const {
    if constexpr (keys == kKeysPerUnit) {
      return unit(records);
    } else {
      return merge<keys>(sums<keys / 2>(records), sums<keys / 2>(records + keys / 2 * kStride));
    }
  }

  /// Halves the lanes of each key and puts two registers into one: half of each goes through a
  /// blend, the other half through the one shuffle.
  template <int keys>
  static __m512i merge(__m512i a, __m512i b) {
    if constexpr (keys == 2) {
      return _mm512_add_epi32(_mm512_mask_blend_epi64(0xF0, a, b),
                              _mm512_shuffle_i64x2(a, b, 0x4E));
    } else if constexpr (keys == 4) {
      const __m512i crossed = _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13);
      return _mm512_add_epi32(_mm512_mask_blend_epi64(0xCC, a, b),
                              _mm512_permutex2var_epi64(a, crossed, b));
    } else if constexpr (keys == 8) {
      return _mm512_add_epi32(_mm512_mask_blend_epi64(0xAA, a, b), _mm512_alignr_epi8(b, a, 8));
    } else {
      const __m512i crossed = _mm512_mask_blend_epi32(0xAAAA, b, a);
      return _mm512_add_epi32(_mm512_mask_blend_epi32(0xAAAA, a, b), _mm512_rol_epi64(crossed, 32));
    }
  }

  __m512i lower_;
  __m512i upper_;
  __m512i even_[kUnits];
  __m512i odd_[kUnits];
  __m512i start_;
};

void store_sums(std::int32_t* to, __m512i sums, std::size_t count) {
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << count) - 1), sums);
}

}  // namespace
}  // namespace axelram::avx512
