#pragma once

#include "nibbles_avx512.hpp"
#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Sums of u_i * C[index_i] for 16 keys at a time. A register of 128 indices, two to a byte: the
/// packed bits are cut into bytes by one permutation and one multishift, two 64-entry lookups turn
/// each byte into its two centroids, and two VNNI instructions multiply and add.
/// Levels of a trellis (bit-contract.md#trellis) are made from the same bits: an index and bits of
/// earlier ones, cut by further multishifts, address the lookup, whose table does XORs that are
/// left. Indices of 4 bits are nibbles, and fill a quadword: nibbles_avx512.hpp.

namespace axelram::avx512 {
namespace {

constexpr int kGroup = 16;  // keys
constexpr int kUnit = 128;  // indices in a register

/// Byte positions for the permutations; a register has 8 slots of 16 indices.
/// With a trellis a quadword begins kFront bytes early, for the lowest bits of four earlier
/// indices.
template <int index_bits, int head_dim, int states>
struct Layout {
  static constexpr int kFront = states == 0 ? 0 : index_bits < 3 ? 1 : 2;
  static constexpr int kKeysPerUnit = head_dim < kUnit ? kUnit / head_dim : 1;
  static constexpr int kUnits = head_dim > kUnit ? head_dim / kUnit : 1;

  constexpr Layout() {
    for (int t = 0; t < 64; ++t) {
      const int slot = t / 8;
      const int element = slot * 16 % head_dim;
      const int place = slot * 16 / head_dim * (64 / kKeysPerUnit);
      const int byte = place + element * index_bits / 8 + t % 8 - kFront;
      spread[t] = static_cast<std::uint8_t>(byte & 63);
      following[t] = static_cast<std::uint8_t>((byte + 8) & 63);
      if (element != 0 || t % 8 >= kFront) own |= std::uint64_t{1} << t;
      cut[t] = static_cast<std::uint8_t>(t % 8 * 2 * index_bits + 8 * kFront);
      even[t] = static_cast<std::uint8_t>(element + t % 8 * 2);
      odd[t] = static_cast<std::uint8_t>(element + t % 8 * 2 + 1);
      lower[t] = static_cast<std::uint8_t>(t % (1 << index_bits));
      // Two 4-bit indices do not fit the 64-entry lookup; they are shifted first.
      upper[t] = index_bits == 4 ? lower[t] : static_cast<std::uint8_t>(t >> index_bits);
      upper[t] = static_cast<std::uint8_t>(upper[t] % (1 << index_bits));
      if (states != 0 && index_bits == 4) {
        const std::uint8_t z0_above = level(t ^ (t >> 4 & 1), t >> 5);
        const std::uint8_t z0_below = level(t ^ (t >> 5 & 1), t >> 4);
        lower[t] = states == 8 ? z0_above : z0_below;
        upper[t] = states == 8 ? z0_below : z0_above;
      } else if (states != 0 && index_bits == 1) {
        lower[t] = upper[t] = level_of_bits(t);
      } else if (states != 0 && kAllInByte) {
        lower[t] = upper[t] = states == 4 ? level(t >> 4 ^ (t & 1), t >> 2) : level(t, t >> 2);
      } else if (states != 0 && kOneByte) {
        lower[t] = level(t ^ (t >> index_bits & 1), t >> (index_bits + 1));
        upper[t] = level((t >> index_bits) ^ (t & 1) ^ (t >> 1 & 1), t >> kUpperZ0);
      } else if (states != 0) {
        lower[t] = level(t, t >> index_bits);
        upper[t] = level(t >> index_bits, t);
      }
    }
  }

  /// Level of an index whose lowest bit is replaced by z1.
  static constexpr std::uint8_t level(int index, int z0) {
    const int mu = index >> 1 & ((1 << (index_bits - 1)) - 1);
    return static_cast<std::uint8_t>(4 * mu + 2 * (index & 1) + (z0 & 1));
  }

  /// Level of an index of one bit: x_i is bit kBack, and x_(i-kBack) bit 0.
  static constexpr std::uint8_t level_of_bits(int bits) {
    const auto x = [&](int earlier) { return bits >> (kBack - earlier) & 1; };
    const int z1 = x(0) ^ (states == 4 ? x(2) : x(1) ^ x(kBack));
    return static_cast<std::uint8_t>(2 * z1 + x(states == 4 ? 1 : 2));
  }

  // x_(i-kBack) is the earliest bit that the level of an index needs. Without x_(i-4) of 3-bit
  // indices, those in front of an index, from x_(i-kSeen), are in one byte of a multishift.
  static constexpr int kBack = states == 16 ? 4 : states == 8 ? 3 : 2;
  static constexpr int kSeen = kBack * index_bits > 9 ? 3 : kBack;
  static constexpr bool kAllInByte = (kBack + 1) * index_bits <= 8;  // and the index too
  static constexpr bool kOneByte = states != 4 && !kAllInByte;
  static constexpr int kUpperZ0 = index_bits == 3 ? 2 : 4;

  /// For the first index: the taps of z1 beside x_i, and z0, behind its bits. For the second, whose
  /// x_i is there: the other tap of z1 at bit 1, and z0.
  static constexpr long long transformation() {
    std::uint8_t from[8] = {};
    const auto bit_of = [](int earlier) {
      return earlier > kSeen ? 0 : 1 << (kSeen - earlier) * index_bits;
    };
    from[index_bits] = static_cast<std::uint8_t>(bit_of(1) | bit_of(kBack));
    from[index_bits + 1] = static_cast<std::uint8_t>(bit_of(2));
    from[1] = static_cast<std::uint8_t>(bit_of(kBack - 1));
    from[kUpperZ0] = static_cast<std::uint8_t>(bit_of(1));
    return affine_matrix(from);
  }

  /// From a byte of four 2-bit indices: the last one with z1 in the place of its lowest bit, and z0
  /// behind it.
  static constexpr long long last_of_four() {
    return affine_matrix({1 | 16 | 64, 128, 4, 0, 0, 0, 0, 0});
  }

  alignas(64) std::uint8_t spread[64] = {};  ///< the packed bytes of a slot to its quadword
  alignas(64) std::uint8_t cut[64] = {};     ///< first bit of each byte in its quadword
  alignas(64) std::uint8_t even[64] = {};    ///< elements of the first indices of the bytes
  alignas(64) std::uint8_t odd[64] = {};     ///< elements of the second
  alignas(64) std::uint8_t lower[64] = {};   ///< first index in a byte of this value
  alignas(64) std::uint8_t upper[64] = {};   ///< second index
  // With a trellis.
  alignas(
      64) std::uint8_t following[64] = {};  ///< `spread` of a register behind the first of a key
  std::uint64_t own = 0;                    ///< bytes that lie in the key
};

/// Stride: std::size_t, or Fixed.
template <int index_bits, int head_dim, int states, class Stride>
class Dot {
 public:
  /// stride: bytes from a key to the next.
  Dot(const DotQuery& query, Stride stride) : stride_(stride) {
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(kOffset));
    constexpr int kLevels = (states == 0 ? 1 : 2) << index_bits;
    const __mmask64 levels = (__mmask64{1} << kLevels) - 1;
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
  using Place = Layout<index_bits, head_dim, states>;
  static constexpr Place kLayout{};
  static constexpr int kKeysPerUnit = Place::kKeysPerUnit;
  static constexpr int kUnits = Place::kUnits;
  // The multiplier takes one unsigned operand: C + 128.
  static constexpr std::int32_t kOffset = 128;

 public:
  /// Bytes from the start of the last key of a group that group() may read.
  static constexpr std::size_t kReach = (kUnits - 1) * 16 * index_bits + 64;

 private:
  /// 128 indices, two in the low bits of each byte.
  __m512i load(const std::uint8_t* bits) const {
    const __m512i raw = load_keys<kKeysPerUnit>(bits, stride_);
    if constexpr (index_bits == 4) return raw;
    const __m512i spread = _mm512_permutexvar_epi8(_mm512_load_si512(kLayout.spread), raw);
    return _mm512_multishift_epi64_epi8(_mm512_load_si512(kLayout.cut), spread);
  }

  /// Bytes of a pair of indices, from `back` indices before its first one.
  static __m512i window(__m512i slots, int back) {
    const __m512i cut = _mm512_load_si512(kLayout.cut);
    const __m512i earlier = _mm512_set1_epi8(static_cast<char>(back * index_bits));
    return _mm512_multishift_epi64_epi8(_mm512_sub_epi8(cut, earlier), slots);
  }

  [[gnu::always_inline]] Levels load_levels(const std::uint8_t* bits, bool following) const {
    const __m512i raw =
        following ? _mm512_loadu_si512(bits - 8) : load_keys<kKeysPerUnit>(bits, stride_);
    const __m512i slots =
        following
            ? _mm512_permutexvar_epi8(_mm512_load_si512(kLayout.following), raw)
            : _mm512_maskz_permutexvar_epi8(kLayout.own, _mm512_load_si512(kLayout.spread), raw);
    // Each operation overwrites its first operand, so that no register is copied.
    constexpr int kSelect = 0xE4;       // the first where the third is 1, otherwise the second
    constexpr int kSelectOther = 0xD8;  // the second where the third is 1, otherwise the first
    constexpr int kXorWhere = 0x6C;     // the second, inverted where the first and the third are 1
    const __m512i pair = window(slots, 0);
    const __m512i at_first = _mm512_set1_epi8(static_cast<char>(1 << index_bits));
    if constexpr (Place::kAllInByte) {
      const __m512i first = window(slots, Place::kBack);
      const __m512i second = window(slots, Place::kBack - 1);
      if constexpr (states == 4 || index_bits == 1) return {first, second};
      const __m512i matrix = _mm512_set1_epi64(Place::last_of_four());
      return {_mm512_gf2p8affine_epi64_epi8(first, matrix, 0),
              _mm512_gf2p8affine_epi64_epi8(second, matrix, 0)};
    } else if constexpr (Place::kOneByte) {
      const __m512i earlier = _mm512_gf2p8affine_epi64_epi8(
          window(slots, Place::kSeen), _mm512_set1_epi64(Place::transformation()), 0);
      __m512i of_first = earlier;
      if constexpr (Place::kSeen != Place::kBack)  // x_(i-4) lies behind x_(i-5)
        of_first = _mm512_ternarylogic_epi64(window(slots, 5), earlier, at_first, kXorWhere);
      const __m512i for_first = _mm512_set1_epi8(static_cast<char>(3 << index_bits));
      const __m512i for_second = _mm512_set1_epi8(static_cast<char>(2 | 1 << Place::kUpperZ0));
      return {_mm512_ternarylogic_epi64(of_first, pair, for_first, kSelect),
              _mm512_ternarylogic_epi64(pair, earlier, for_second, kSelectOther)};
    } else {
      // The lowest bits of both indices; the lowest one.
      const __m512i lowest = _mm512_set1_epi8(static_cast<char>(1 | 1 << index_bits));
      const __m512i at_second = _mm512_set1_epi8(1);
      const __m512i two_back = window(slots, 2);
      const __m512i with_z1 = _mm512_ternarylogic_epi64(two_back, pair, lowest, kXorWhere);
      return {_mm512_ternarylogic_epi64(two_back, with_z1, at_first, kSelect),
              _mm512_ternarylogic_epi64(pair, with_z1, at_second, kSelect)};
    }
  }

  [[gnu::always_inline]] Levels levels_of(const std::uint8_t* bits, int unit) const {
    const std::uint8_t* const from = bits + unit * kUnit * index_bits / 8;
    if constexpr (states != 0 && index_bits == 4) {
      return nibble_levels<kKeysPerUnit, states>(from, stride_, unit != 0);
    } else if constexpr (states != 0) {
      return load_levels(from, unit != 0);
    } else {
      const __m512i indices = load(from);
      return {indices, index_bits < 4 ? indices : _mm512_srli_epi16(indices, 4)};
    }
  }

  [[gnu::always_inline]] __m512i unit(const std::uint8_t* bits) const {
    __m512i sum = start_;
#pragma GCC unroll 2
    for (int i = 0; i < kUnits; ++i) {
      const auto [indices, next] = levels_of(bits, i);
      sum = _mm512_dpbusd_epi32(sum, _mm512_permutexvar_epi8(indices, lower_), even_[i]);
      sum = _mm512_dpbusd_epi32(sum, _mm512_permutexvar_epi8(next, upper_), odd_[i]);
    }
    return sum;
  }

  /// The sums of `keys` keys, each spread over 16 / keys lanes. A call would load constants again.
  template <int keys>
  [[gnu::always_inline]] __m512i sums(const std::uint8_t* records) const {
    if constexpr (keys == kKeysPerUnit) {
      return unit(records);
    } else {
      return merge<keys>(sums<keys / 2>(records), sums<keys / 2>(records + keys / 2 * stride_));
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

  Stride stride_;
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
