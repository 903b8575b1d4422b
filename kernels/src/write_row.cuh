#pragma once

#include "align.cuh"
#include "center.cuh"
#include "hadamard.cuh"
#include "norm.cuh"
#include "quantizer.cuh"

/// Steps of the fast write kernel. A key lies on kLanes = d / 16 lanes, 16 elements each. First in
/// words of two neighbouring elements, word j * kLanes + lane as word j of 8: the top three bits
/// and the lowest of an element's number are within a thread. Then, after an exchange through
/// shared memory, elements 16 * lane .. 16 * lane + 15.
namespace axelram::kernels {

template <int kDim>
struct WriteLayout {
  static constexpr unsigned kLanes = kDim / 16, kKeys = 32 / kLanes;  ///< of a key; of a warp
  /// Bytes of a staged key and words of an exchanged one, padded against bank conflicts.
  static constexpr unsigned kStagedBytes = 2 * kDim + (kLanes > 4 ? 4 * kLanes : 16);
  static constexpr unsigned kExchangeRow = 20;  ///< words, of 16 elements
  static constexpr unsigned kExchangeKey = kExchangeRow * kLanes + 16;

  /// Word of element `at` of an exchanged key.
  static constexpr unsigned exchange_word(unsigned at) { return at / 16 * kExchangeRow + at % 16; }
};

/// The sum over the lanes of a key.
template <unsigned kLanes>
AXELRAM_DEVICE std::uint64_t sum_over_lanes(std::uint64_t sum) {
  AXELRAM_UNROLL
  for (unsigned mask = 1; mask < kLanes; mask *= 2)
    sum += std::uint64_t{shuffle_xor(static_cast<std::uint32_t>(sum >> 32), mask)} << 32 |
           shuffle_xor(static_cast<std::uint32_t>(sum), mask);
  return sum;
}

/// The largest exponent field of a key.
template <bool kBf16, unsigned kLanes>
AXELRAM_DEVICE int largest_field(std::uint32_t magnitudes) {
  AXELRAM_UNROLL
  for (unsigned mask = 1; mask < kLanes; mask *= 2)
    magnitudes = max_magnitudes<kBf16>(magnitudes, shuffle_xor(magnitudes, mask));
  const std::uint32_t upper = magnitudes >> 16, lower = magnitudes & 0xFFFFU;
  return exponent_field<kBf16>(upper > lower ? upper : lower);
}

struct AlignedKey {
  int e;
  bool finite;
  std::uint64_t shifted_squares;  ///< the sum of (kShifterBits + m)^2, mod 2^64
};

/// ALIGN, CENTER and the signs: x = s m of the 16 elements in `words`. signs: sign bits of each
/// word; center: words at stride kLanes, or null. A key that is not finite becomes zeros.
template <bool kBf16, unsigned kLanes>
AXELRAM_DEVICE AlignedKey align_key(std::uint32_t (&words)[8], const std::uint32_t (&signs)[8],
                                    const std::uint32_t* center, int significand_bits,
                                    float (&x)[16]) {
  std::uint32_t largest = 0, center_words[8];
  AXELRAM_UNROLL
  for (int j = 0; j < 8; ++j) largest = max_magnitudes<kBf16>(largest, words[j]);
  if (center != nullptr) {
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) {
      center_words[j] = load(center + static_cast<unsigned>(j) * kLanes);
      largest = max_magnitudes<kBf16>(largest, center_words[j]);
    }
  }
  const int field = largest_field<kBf16, kLanes>(largest);
  const Alignment<kBf16> alignment(field, significand_bits);
  AlignedKey key{alignment.e, field != Format<kBf16>::kMaxField, 0};
  if (!key.finite) {
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) words[j] = 0;
  }
  const auto half = [](std::uint32_t word, int i) {
    return static_cast<std::uint16_t>(i % 2 == 0 ? word : word >> 16);
  };
  // (s x - s c) is s m: rounding is symmetric.
  if (center != nullptr && key.finite) {
    AXELRAM_UNROLL
    for (int i = 0; i < 16; ++i)
      x[i] = center_element(alignment, half(words[i / 2] ^ signs[i / 2], i),
                            half(center_words[i / 2] ^ signs[i / 2], i)) +
             kShifter;
  } else {
    AXELRAM_UNROLL
    for (int i = 0; i < 16; ++i) x[i] = alignment.shifted(half(words[i / 2] ^ signs[i / 2], i));
  }
  AXELRAM_UNROLL
  for (int i = 0; i < 16; ++i) {
    const std::uint32_t bits = bits_of_float(x[i]);
    key.shifted_squares += std::uint64_t{bits} * bits;
    x[i] -= kShifter;
  }
  return key;
}

/// A thread's share of S from its (M + m)^2, M = kShifterBits, and the sum of its m, which may be
/// up to 1/2 too small: 16 M^2 and 2 M times the sum are taken away, mod 2^64.
AXELRAM_HD std::uint64_t square_share(std::uint64_t shifted_squares, float sum) {
  const auto m = static_cast<std::int32_t>(bits_of_float(sum + kShifter) - kShifterBits);
  constexpr std::uint64_t kM = kShifterBits;
  return shifted_squares - 16 * kM * kM -
         static_cast<std::uint64_t>(static_cast<std::int64_t>(2 * kM) * m);
}

/// The A_j of a key (see quantizer.cuh) in all its lanes: lane j computes A_j where there are
/// lanes enough. mine: B of the calling lane's.
template <int kCount, unsigned kLanes>
AXELRAM_DEVICE void magnitude_thresholds(const MacroConstants& c, std::int32_t mine,
                                         std::uint32_t root, float (&a)[kCount]) {
  if constexpr (kLanes > kCount && kCount > 1) {
    const float own = magnitude_threshold(mine, root, c.boundary_fraction_bits);
    const unsigned first = lane_index() & ~(kLanes - 1);
    AXELRAM_UNROLL
    for (int j = 0; j < kCount; ++j) a[j] = shuffle(own, first + static_cast<unsigned>(j));
  } else {
    AXELRAM_UNROLL
    for (int j = 0; j < kCount; ++j)
      a[j] = magnitude_threshold(c.boundaries[kCount + 1 + j], root, c.boundary_fraction_bits);
  }
}

}  // namespace axelram::kernels
