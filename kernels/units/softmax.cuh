#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "device/platform.cuh"

/// Streaming softmax over a context, in base 2 (Milakov and Gimelshein, Online normalizer
/// calculation for softmax, 2018), with weights that FP16 holds.
namespace axelram::kernels {

/// Sums are relative to 2^(maximum + offset): two numbers, since scores may be so large that
/// `offset` would be lost in their sum.
struct SoftmaxReference {
  float maximum = -1e30F;  ///< beyond every score
  float offset = 0;
};

/// The factor that converts sums relative to `from` into sums relative to `to`.
AXELRAM_HD float change_of_reference(const SoftmaxReference& from, const SoftmaxReference& to) {
  return exp2_fast((from.maximum - to.maximum) + (from.offset - to.offset));
}
/// The least reference that is beyond both.
AXELRAM_HD SoftmaxReference common_reference(const SoftmaxReference& a, const SoftmaxReference& b) {
  const float maximum = std::fmax(a.maximum, b.maximum);
  return {maximum, std::fmax(a.offset + (a.maximum - maximum), b.offset + (b.maximum - maximum))};
}

/// The state of two query heads, those of columns 2t and 2t + 1, in lane 4g + t. Scores come as the
/// tensor cores leave them: [8 tokens, 8 query heads] of which the lane holds token g.
struct TileSoftmax {
  SoftmaxReference reference[2];
  float sum[2] = {0, 0};  ///< of the probabilities this lane saw

  /// Tokens 8i + g, i = 0..3: scores (base 2, minus infinity if masked) and norms of values
  /// (positive; 1 if they have none) become weights, probability * norm * 2^x for an x of the
  /// query head alone, as FP16 pairs of the two heads. If the reference moves, which is rare,
  /// rescale(factors of the two heads) is called for sums made so far.
  ///
  /// A weight is at most 2^12 when the reference is set and may grow to 2^15 before it moves: so
  /// weights down to 2^-26 of the largest keep FP16's precision, and down to 2^-36 count.
  template <class Rescale>
  AXELRAM_DEVICE void weigh(const float (&scores)[4][2], const float (&norms)[4],
                            Half2 (&weights)[4], Rescale&& rescale) {
    float sums[2];
    if (any_lane(weigh_once(scores, norms, weights, sums))) {
      const float factors[2] = {move(0, scores, norms), move(1, scores, norms)};
      rescale(factors);
      weigh_once(scores, norms, weights, sums);
    }
    sum[0] += sums[0];
    sum[1] += sums[1];
  }

 private:
  /// True if a weight is 2^15 or more, or not finite.
  AXELRAM_DEVICE bool weigh_once(const float (&scores)[4][2], const float (&norms)[4],
                                 Half2 (&weights)[4], float (&sums)[2]) const {
    std::uint32_t over = 0;
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) {
      float p[2];
      AXELRAM_UNROLL
      for (int h = 0; h < 2; ++h) {
        p[h] = exp2_fast((scores[i][h] - reference[h].maximum) - reference[h].offset);
        sums[h] = i == 0 ? p[h] : sums[h] + p[h];
      }
      weights[i] = half2_of_floats(p[0] * norms[i], p[1] * norms[i]);
      over |= weights[i] + 0x08000800;
    }
    return (over & 0x80008000) != 0;
  }

  /// Moves the reference of a head beyond these tokens; returns what older sums are multiplied by.
  AXELRAM_DEVICE float move(int head, const float (&scores)[4][2], const float (&norms)[4]) {
    constexpr float kHeadroom = 11;
    SoftmaxReference now = reference[head];
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) now.maximum = std::fmax(now.maximum, scores[i][head]);
    AXELRAM_UNROLL
    for (unsigned mask = 4; mask < 32; mask *= 2)
      now.maximum = std::fmax(now.maximum, shuffle_xor(now.maximum, mask));
    float largest = -1e30F;
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) {
      const auto exponent = static_cast<std::int32_t>(bits_of_float(norms[i]) >> 23) - 126;
      // Norms below the least FP16 number are zeros.
      const float size = static_cast<float>(exponent < -24 ? -24 : exponent);
      largest = std::fmax(largest, (scores[i][head] - now.maximum) + size);
    }
    AXELRAM_UNROLL
    for (unsigned mask = 4; mask < 32; mask *= 2)
      largest = std::fmax(largest, shuffle_xor(largest, mask));
    const SoftmaxReference before = reference[head];
    now.offset =
        std::fmax(std::ceil(largest) - kHeadroom, before.offset + (before.maximum - now.maximum));
    reference[head] = now;
    sum[head] *= change_of_reference(before, now);
    return change_of_reference(before, now);
  }
};

}  // namespace axelram::kernels
