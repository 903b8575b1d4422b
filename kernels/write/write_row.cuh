#pragma once

#include "axelram/kernels/write.hpp"
#include "common/reductions.cuh"
#include "common/write_events.cuh"
#include "units/norm.cuh"
#include "units/quantizer.cuh"
#include "units/record.cuh"
#include "units/scale.cuh"
#include "units/tensor_rows.cuh"

/// Steps of the fast write kernel. d is 64, 128 or 256. A key lies on kLanes = d / 32 lanes, 32
/// elements each, in order (units/tensor_rows.cuh).
namespace axelram::kernels {

template <int kDim>
struct WriteLayout {
  static constexpr unsigned kLanes = kDim / kElements,
                            kKeys = 32 / kLanes;  ///< of a key; of a warp
  /// Bytes of the keys that a warp stages.
  static constexpr unsigned kStagedBytes = 32 * 2 * kElements;

  /// Byte of a staged chunk, 16 bytes, of the four of a lane of the warp. They change places, so
  /// that eight lanes meet in no bank, neither when each loads its own nor when they store those of
  /// a key. Linear: chunk_at(a ^ b, c ^ d) = chunk_at(a, c) ^ chunk_at(b, d).
  static constexpr unsigned chunk_at(unsigned lane, unsigned chunk) {
    return 64 * (lane ^ (lane >> 2 & 1)) ^ 16 * (chunk ^ (lane >> 1 & 3));
  }
  /// Returns chunk_at() for chunk `chunk` of key `key` of the warp.
  static constexpr unsigned key_chunk_at(unsigned key, unsigned chunk) {
    return chunk_at(key * kLanes + chunk / 4, chunk % 4);
  }
};

/// A lane's chunks. first: of its first, in `shared`.
template <class Layout>
AXELRAM_DEVICE void load_chunks(const std::uint8_t* shared, unsigned first,
                                std::uint32_t (&words)[kWords]) {
  AXELRAM_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    const auto four = *reinterpret_cast<const Words4*>(shared + (first ^ Layout::chunk_at(0, i)));
    AXELRAM_UNROLL
    for (unsigned k = 0; k < 4; ++k) words[4 * i + k] = four.w[k];
  }
}

/// The A_j of a key (see quantizer.cuh), multiples of kUnit, computed by its lanes in turn: lane l
/// those of the positive boundaries l, l + kLanes, ...
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
      own[i] = kUnit * magnitude_threshold(boundaries[i], root, fraction_bits);
    const unsigned first = lane_index() & ~(kLanes - 1);
    AXELRAM_UNROLL
    for (unsigned j = 0; j < kCount; ++j) a[j] = shuffle(own[j / kLanes], first + j % kLanes);
  }

  std::int32_t boundaries[kOwn], fraction_bits;
};

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
