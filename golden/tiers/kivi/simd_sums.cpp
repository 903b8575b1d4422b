#include "simd/floats.hpp"
#include "simd/level_units.hpp"
#include "tiers/kivi/arguments.hpp"

/// Weighted sums of KIVI value rows: channels in the lanes, rows one after another.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kRows = 64;          // whose scales are converted together
constexpr std::size_t kSmallestGroup = 8;  // channels

/// Scales of the groups of rows, then their minima, as floats.
struct RowRanges {
  static constexpr std::size_t kNext = 2 * kWidest / kSmallestGroup;
  float of[kRows][kNext];

  /// rows: at most kRows. last: whether there is nothing behind them.
  RowRanges(const KiviRowSums& sums, const std::uint8_t* row, std::size_t rows, bool last) {
    constexpr std::size_t kTogether = 8;  // may be more than a row has
    const std::size_t count = 2 * (sums.d / sums.group);
    const std::uint8_t* from = row + sums.d * static_cast<std::size_t>(sums.bits) / 8;
    std::uint16_t copy[kNext] = {};
    for (std::size_t t = 0; t < rows; ++t, from += sums.row_bytes) {
      if (last && t + 1 == rows) {
        __builtin_memcpy(copy, from, 2 * count);
        from = reinterpret_cast<const std::uint8_t*>(copy);
      }
      for (std::size_t i = 0; i < count; i += kTogether)
        _mm256_storeu_ps(
            of[t] + i,
            _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i))));
    }
  }
};

/// Decoded elements by code of one group, or of two next to each other in a register.
template <int bits, bool two_groups>
class Decoder {
 public:
  /// step: 1 with 4 bits.
  explicit Decoder(int step)
      : floats_(multiply(counted_codes<bits>(), broadcast(static_cast<float>(step)))),
        counted_(floats_) {}

  Floats at(const std::uint8_t* from, const float* scales, const float* minima) const {
    const Integers codes = windows_.at(from);
    if constexpr (two_groups) {
      return multiply_add(counted_.at(codes), by_half(scales), by_half(minima));
    } else if constexpr ((1U << bits) <= kFloats) {
      return FloatTable<bits>(multiply_add(floats_, broadcast(*scales), broadcast(*minima)))
          .at(codes);
    } else {
      return multiply_add(floats_of<bits>(codes), broadcast(*scales), broadcast(*minima));
    }
  }

 private:
  /// of[0] in the lower half of the lanes, of[1] in the upper.
  static Floats by_half(const float* of) {
#ifdef __AVX512F__
    return _mm512_insertf32x8(_mm512_set1_ps(of[0]), _mm256_set1_ps(of[1]), 1);
#else
    return broadcast(*of);
#endif
  }

  CodeWindows<bits> windows_;
  Floats floats_;
  FloatTable<bits> counted_;
};

/// Some rows of `of`, and where they begin in what it holds.
struct SummedRows {
  const std::uint8_t* first;
  std::size_t count;
  const float* weights;
  float* sums;
};

/// `registers` * kFloats channels from channel `first` on: their sums stay in registers.
template <int bits, bool two_groups, int queries, int registers>
void add_channels(const KiviRowSums& of, const Decoder<bits, two_groups>& decoder,
                  const RowRanges& ranges, const SummedRows& rows, std::size_t first) {
  Floats sums[queries][registers];
  const std::size_t all = of.d / of.group;
  std::size_t groups[registers];
  for (std::size_t r = 0; r < registers; ++r) groups[r] = (first + r * kFloats) / of.group;
#pragma GCC unroll 4
  for (std::size_t q = 0; q < queries; ++q)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < registers; ++r)
      sums[q][r] = load_floats(rows.sums + q * of.to.sum_stride + first + r * kFloats);
  const std::uint8_t* codes = rows.first + first * bits / 8;
  for (std::size_t t = 0; t < rows.count; ++t, codes += of.row_bytes) {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < registers; ++r) {
      const Floats x = decoder.at(codes + r * CodeWindows<bits>::kBytes, &ranges.of[t][groups[r]],
                                  &ranges.of[t][all + groups[r]]);
#pragma GCC unroll 4
      for (std::size_t q = 0; q < queries; ++q)
        sums[q][r] =
            multiply_add(broadcast(rows.weights[q * of.to.weight_stride + t]), x, sums[q][r]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t q = 0; q < queries; ++q)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < registers; ++r)
      store_floats(rows.sums + q * of.to.sum_stride + first + r * kFloats, sums[q][r]);
}

template <int bits, bool two_groups, int queries>
void add_queries(const KiviRowSums& of, const Decoder<bits, two_groups>& decoder,
                 const RowRanges& ranges, const SummedRows& rows) {
  constexpr int kFew = 2;
  constexpr int kMany = kRegisters / 2 >= 4 * queries ? 4 : kFew;
  if (of.d % (kMany * kFloats) != 0) {
    for (std::size_t c = 0; c < of.d; c += kFew * kFloats)
      add_channels<bits, two_groups, queries, kFew>(of, decoder, ranges, rows, c);
    return;
  }
  for (std::size_t c = 0; c < of.d; c += kMany * kFloats)
    add_channels<bits, two_groups, queries, kMany>(of, decoder, ranges, rows, c);
}

template <int bits, bool two_groups>
void add_rows(const KiviRowSums& of) {
  const Decoder<bits, two_groups> decoder(of.step);
  for (std::size_t t = 0; t < of.row_count; t += kRows) {
    SummedRows rows{of.rows + t * of.row_bytes, of.row_count - t < kRows ? of.row_count - t : kRows,
                    of.to.weights + t, of.to.sums};
    const RowRanges ranges(of, rows.first, rows.count, t + rows.count == of.row_count);
    for (std::size_t i = 0; i < of.to.count; i += 4) {
      switch (of.to.count - i) {
        case 1:
          add_queries<bits, two_groups, 1>(of, decoder, ranges, rows);
          break;
        case 2:
          add_queries<bits, two_groups, 2>(of, decoder, ranges, rows);
          break;
        case 3:
          add_queries<bits, two_groups, 3>(of, decoder, ranges, rows);
          break;
        default:
          add_queries<bits, two_groups, 4>(of, decoder, ranges, rows);
      }
      rows.weights += 4 * of.to.weight_stride;
      rows.sums += 4 * of.to.sum_stride;
    }
  }
}

template <int bits>
void add_rows_of(const KiviRowSums& of) {
#ifdef __AVX512F__
  if (of.group < kFloats) return add_rows<bits, true>(of);
#endif
  add_rows<bits, false>(of);
}

}  // namespace

void sum_kivi(const KiviRowSums& of) {
  if (of.bits == 2) return add_rows_of<2>(of);
  if (of.bits == 3) return add_rows_of<3>(of);
  add_rows_of<4>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
