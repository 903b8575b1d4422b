#pragma once

#include <cstdint>

#include "device/platform.cuh"
#include "units/align.cuh"
#include "units/hadamard.cuh"

/// Rows of integers on tensor cores: their Hadamard transforms and sums of squares, exact. A row of
/// d = 64, 128 or 256 elements lies on d / 32 lanes, elements 32 l .. 32 l + 31 on lane l, as FP16
/// multiples of kUnit, two neighbours a word. Lane 4g + t is lane t of quad g.
namespace axelram::kernels {

constexpr int kElements = 32, kWords = kElements / 2;  ///< of a lane

/// Transforms the rows of a warp. Bits of an element's number: 5 and 6 are t, 0 to 2 lie in the
/// products, 3 is the row of a product (g or g + 8), 4 its number. Products transform bits 0, 1, 2,
/// 5 and 6 (d = 64: bit 6 names one of two rows); additions 3, 4 and 7.
template <int kDim>
struct HadamardProduct {
  /// B [16, 8] of bits 0, 5 and 6; bits 1 and 2 take it as it is, or negative.
  Half2 plus, minus;

  AXELRAM_DEVICE HadamardProduct() {
    constexpr Half2 kOne = 0x3C00, kMinus = 0x8000;
    const unsigned lane = lane_index(), t = lane % 4, column = lane / 4;
    const unsigned transformed = kDim == 64 ? 1 : 3;
    const bool odd = count_ones(t & column / 2 & transformed) % 2 != 0;
    const bool zero = kDim == 64 && t / 2 != column / 4;
    const Half2 low = zero ? 0 : kOne | (odd ? kMinus : 0);
    plus = low | (column % 2 != 0 && !zero ? low ^ kMinus : low) << 16;
    minus = zero ? 0 : plus ^ (kMinus << 16 | kMinus);
  }

  /// The products of `words`, added to x; kFirst: to what takes `less` off every element of the
  /// transforms, as if it were taken off element 0 of the rows.
  template <bool kFirst>
  AXELRAM_DEVICE void multiply(const Half2 (&words)[kWords], float less,
                               float (&x)[2][4][4]) const {
    const float first = kDim < 256 || lane_index() % 8 < 4 ? -less : 0;
    AXELRAM_UNROLL
    for (int number = 0; number < 2; ++number) {
      const float begin[4] = {number == 0 ? first : 0, number == 0 ? first : 0, 0, 0};
      AXELRAM_UNROLL
      for (int step = 0; step < 2; ++step) {  // bit 2 of the operand
        const int at = 8 * number + 2 * step;
        const Half2 a[4] = {words[at], words[at + 4], words[at + 1], words[at + 5]};
        AXELRAM_UNROLL
        for (int tile = 0; tile < 4; ++tile) {  // bits 1 and 2 of the result
          const bool negative = (step & tile / 2) != 0;
          const Half2 b[2] = {negative ? minus : plus, negative != (tile % 2 != 0) ? minus : plus};
          float(&sums)[4] = x[number][tile];
          if (kFirst && step == 0)
            mma_f16(sums, a, b, begin);
          else
            mma_f16(sums, a, b);
        }
      }
    }
  }
  /// The additions, in FP32: the transforms, elements in order.
  AXELRAM_DEVICE void add(const float (&x)[2][4][4], float (&y)[kElements]) const {
    AXELRAM_UNROLL
    for (int i = 0; i < kElements; ++i) y[i] = x[i / 16][i / 2 % 4][i / 8 % 2 * 2 + i % 2];
    butterfly_stages<8, kElements>(y);
    if constexpr (kDim == 256) lane_butterflies<4>(y);
  }
};

/// A word of m as multiples of 2^8 units, and what is left: at most 2^7. |m| <= 2^17.
struct SplitWord {
  Half2 high, low;
};
AXELRAM_HD SplitWord split_word(Half2 m) {
  constexpr Half2 kShift = 0x2600, kShifts = kShift << 16 | kShift;  // 1.5 * 2^18 units
  constexpr Half2 kSigns = 0x80008000U;
  const Half2 high = half2_subtract(half2_subtract(m, kShifts ^ kSigns), kShifts);
  return {high, half2_subtract(m, high)};
}
AXELRAM_HD SplitWord subtract(const SplitWord& a, const SplitWord& b) {
  return {half2_subtract(a.high, b.high), half2_subtract(a.low, b.low)};
}

/// The sum of m^2 over each row of a warp: the diagonals of products of words and words. high^2 is
/// at most 2^18 (units of 2^16), high * low 2^17, low^2 2^16 after a center: their sums over a row
/// are at most 2^24, so that FP32 has them exactly.
template <int kDim>
class SquareSums {
 public:
  AXELRAM_DEVICE void add(const SplitWord& m) {
    AXELRAM_UNROLL
    for (int row = 0; row < kRows; ++row) {
      const bool mine = kRows == 1 || lane_index() / 2 % 2 == static_cast<unsigned>(row);
      mma_f16(by_high[row], {m.low, m.high}, mine ? m.high : 0);
      mma_f16(by_low[row], {m.low, m.high}, mine ? m.low : 0);
    }
  }

  /// Returns the sum over the row that the lane holds.
  AXELRAM_DEVICE std::uint64_t sum() const {
    const unsigned lane = lane_index(), quad = lane / 4;
    std::uint64_t sums[kRows];
    AXELRAM_UNROLL
    for (int row = 0; row < kRows; ++row) {
      const bool second = quad % 2 != 0;
      const float high = second ? by_high[row][3] : by_high[row][2];
      const float cross = second ? by_high[row][1] : by_high[row][0];
      const float low = second ? by_low[row][1] : by_low[row][0];
      const std::int64_t sum = (integer(high * 0x1p32F) << 16) + (integer(cross * 0x1p40F) << 9) +
                               integer(low * 0x1p48F);
      const unsigned diagonal = 4 * quad + quad / 2;
      sums[row] = static_cast<std::uint64_t>(shuffle(sum, diagonal));
    }
    if constexpr (kRows == 2) return lane / 2 % 2 == 0 ? sums[0] : sums[1];
    if constexpr (kDim == 256) sums[0] += shuffle_xor(sums[0], 4);
    return sums[0];
  }

 private:
  static constexpr int kRows = kDim == 64 ? 2 : 1;  ///< that a quad has to itself
  float by_high[kRows][4] = {}, by_low[kRows][4] = {};

  static AXELRAM_HD std::int64_t integer(float x) { return static_cast<std::int32_t>(x); }
};

}  // namespace axelram::kernels
