#pragma once

#include "axelram/kernels/write.hpp"
#include "common/reductions.cuh"
#include "common/write_events.cuh"
#include "units/align.cuh"
#include "units/center.cuh"
#include "units/hadamard.cuh"
#include "units/norm.cuh"
#include "units/quantizer.cuh"
#include "units/record.cuh"
#include "units/scale.cuh"

/// Steps of the fast write kernel. d is 64, 128 or 256. A key lies on kLanes = d / 32 lanes, 32
/// elements each. First in words of two neighbouring elements, word j * kLanes + lane as word j of
/// 16: the top four bits and the lowest of an element's number are within a thread. Then, after an
/// exchange through shared memory, elements 32 * lane .. 32 * lane + 31.
namespace axelram::kernels {

constexpr int kElements = 32, kWords = kElements / 2;  ///< of a thread

template <int kDim>
struct WriteLayout {
  static constexpr unsigned kLanes = kDim / kElements,
                            kKeys = 32 / kLanes;  ///< of a key; of a warp
  /// Bytes of a staged key and words of an exchanged thread, padded against bank conflicts.
  static constexpr unsigned kStagedBytes = 2 * kDim + (kLanes > 4 ? 4 * kLanes : 16);
  static constexpr unsigned kExchangeRow = kElements + 4, kExchangeKey = kExchangeRow * kLanes;

  /// First word of a key of the warp. Keys are moved apart, so that neither the stores of 8 bytes
  /// nor the loads of 16 of exchange_elements meet in a bank.
  static constexpr unsigned exchange_key(unsigned key) {
    return key * kExchangeKey + key / (8 / kLanes) * (2 * kLanes);
  }
  static constexpr unsigned kExchangeWords = kKeys * kExchangeKey + 8 * kLanes;
  /// Word of element `at` of an exchanged key.
  static constexpr unsigned exchange_word(unsigned at) {
    return at / kElements * kExchangeRow + at % kElements;
  }
};

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

/// ALIGN, CENTER and the signs: x = kShifter + s m of the elements in `words`. signs: sign bits
/// of each word; center: words at stride kLanes, if kCentered. A key that is not finite becomes
/// zeros.
template <bool kBf16, bool kCentered, unsigned kLanes>
AXELRAM_DEVICE AlignedKey align_key(const std::uint32_t (&words)[kWords],
                                    const std::uint32_t (&signs)[kWords],
                                    const std::uint32_t* center, int significand_bits,
                                    float (&x)[kElements]) {
  std::uint32_t largest = words[0], center_words[kWords];
  AXELRAM_UNROLL
  for (int j = 1; j < kWords; ++j) largest = max_magnitudes<kBf16>(largest, words[j]);
  AXELRAM_UNROLL
  for (int j = 0; j < kWords && kCentered; ++j) {
    center_words[j] = load(center + static_cast<unsigned>(j) * kLanes);
    largest = max_magnitudes<kBf16>(largest, center_words[j]);
  }
  const int field = largest_field<kBf16, kLanes>(largest);
  const Alignment<kBf16> alignment(field, significand_bits);
  AlignedKey key{alignment.e, field != Format<kBf16>::kMaxField, 0};
  const auto kept = static_cast<std::uint32_t>((field - Format<kBf16>::kMaxField) >> 31);
  AXELRAM_UNROLL
  for (int j = 0; j < kWords; ++j) {
    float pair[2], center_pair[2];
    floats_of_pair<kBf16>((words[j] & kept) ^ signs[j], pair[0], pair[1]);
    if constexpr (kCentered)
      floats_of_pair<kBf16>((center_words[j] & kept) ^ signs[j], center_pair[0], center_pair[1]);
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i) {
      float& shifted = x[2 * j + i];
      // s x - s c is s m: rounding is symmetric.
      shifted = kCentered ? center_element(alignment, pair[i], center_pair[i]) + kShifter
                          : alignment.shifted(pair[i]);
      key.shifted_squares += std::uint64_t{bits_of_float(shifted)} * bits_of_float(shifted);
    }
  }
  return key;
}

/// From kShifter + x to the first stage of x, in three additions per pair instead of four.
AXELRAM_HD void first_butterflies(float (&x)[kElements]) {
  AXELRAM_UNROLL
  for (int i = 0; i < kElements; i += 2) {
    const float sum = (x[i] - 2 * kShifter) + x[i + 1];
    x[i + 1] = x[i] - x[i + 1];
    x[i] = sum;
  }
}

/// A thread's share of S from its (M + m)^2, M = kShifterBits, and the sum of its m, which may be
/// up to 1/2 too small: M^2 for each m and 2 M times the sum are taken away, mod 2^64.
AXELRAM_HD std::uint64_t square_share(std::uint64_t shifted_squares, float sum) {
  const auto m = static_cast<std::int32_t>(bits_of_float(sum + kShifter) - kShifterBits);
  constexpr std::int64_t kM = kShifterBits;
  return shifted_squares - static_cast<std::uint64_t>(kElements * kM) * kM +
         static_cast<std::uint64_t>(std::int64_t{-2 * m} * static_cast<std::int32_t>(kM));
}

/// The A_j of a key (see quantizer.cuh), computed by its lanes in turn: lane l those of the
/// positive boundaries l, l + kLanes, ...
template <int kBits, unsigned kLanes>
struct KeyThresholds {
  static constexpr unsigned kCount = (1U << (kBits - 1)) - 1;
  static constexpr unsigned kOwn = (kCount + kLanes - 1) / kLanes;

  AXELRAM_DEVICE KeyThresholds(const MacroConstants& c, unsigned lane)
      : fraction_bits(c.boundary_fraction_bits) {
    AXELRAM_UNROLL
    for (unsigned i = 0; i < kOwn; ++i) {
      const unsigned j = lane + i * kLanes;
      boundaries[i] = c.boundaries[kCount + 1 + (j < kCount ? j : 0)];
    }
  }

  AXELRAM_DEVICE void compute(std::uint32_t root, float (&a)[kCount]) const {
    float own[kOwn];
    AXELRAM_UNROLL
    for (unsigned i = 0; i < kOwn; ++i)
      own[i] = magnitude_threshold(boundaries[i], root, fraction_bits);
    const unsigned first = lane_index() & ~(kLanes - 1);
    AXELRAM_UNROLL
    for (unsigned j = 0; j < kCount; ++j) a[j] = shuffle(own[j / kLanes], first + j % kLanes);
  }

  std::int32_t boundaries[kOwn], fraction_bits;
};

/// A of a key from its lanes' elements less 1/4, see quantizer.cuh.
template <int kBits, unsigned kLanes>
AXELRAM_DEVICE std::int64_t correlation_of(const MacroConstants& c, const float (&x)[kElements],
                                           const float (&a)[KeyThresholds<kBits, kLanes>::kCount]) {
  std::uint64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kElements; ++i)
    sum += correlation_term<kBits>(x[i], a, c.centroids + (1 << (kBits - 1)));
  return static_cast<std::int64_t>(sum_over_lanes<kLanes>(sum));
}

/// From words of neighbouring elements to elements that follow one another. `exchange`: of the
/// key.
template <int kDim>
AXELRAM_DEVICE void exchange_elements(float (&x)[kElements], float* exchange, unsigned lane) {
  using Layout = WriteLayout<kDim>;
  AXELRAM_UNROLL
  for (unsigned j = 0; j < kWords; ++j)
    store_vector(reinterpret_cast<Words2*>(exchange + Layout::exchange_word(2 * lane) +
                                           Layout::exchange_word(2 * j * Layout::kLanes)),
                 Words2{{bits_of_float(x[2 * j]), bits_of_float(x[2 * j + 1])}});
  sync_warp();
  AXELRAM_UNROLL
  for (unsigned q = 0; q < kElements / 4; ++q) {
    const Words4 four = reinterpret_cast<const Words4*>(exchange + Layout::kExchangeRow * lane)[q];
    AXELRAM_UNROLL
    for (unsigned i = 0; i < 4; ++i) x[4 * q + i] = float_of_bits(four.w[i]);
  }
}

template <int kBits>
struct WrittenKey {
  std::uint16_t norm;
  std::uint32_t root;
  const std::uint32_t (&pieces)[2][kBits];  ///< of a lane's indices, 16 by 16
};

/// Stores the optional outputs beside the record.
template <int kDim, int kBits>
AXELRAM_DEVICE void store_parts(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                                unsigned lane, const WrittenKey<kBits>& key) {
  constexpr unsigned kBoundaries = (1U << kBits) - 1;
  if (out.norms != nullptr && lane == 0) out.norms[row] = key.norm;
  if (out.indices != nullptr) {
    AXELRAM_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      Words4 bytes;
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) bytes.w[i] = unpack_four<kBits>(key.pieces[h], 4 * i);
      store_vector(reinterpret_cast<Words4*>(out.indices + row * kDim + kElements * lane + 16 * h),
                   bytes);
    }
  }
  if (out.thresholds == nullptr) return;
  for (unsigned j = lane; j < kBoundaries; j += WriteLayout<kDim>::kLanes)
    out.thresholds[row * kBoundaries + j] =
        threshold(c.boundaries[j], key.root, c.boundary_fraction_bits);
}

}  // namespace axelram::kernels
