#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace axelram {

// Rows of KVQuant: indices of a codebook whose levels are not evenly spaced, and outliers apart
// (bit-contract.md#nuq; references.md#kvquant). All elements are FP16.

/// Exact elements of a row of d: 2 * ceil(share * d / 2). Throws std::invalid_argument unless share
/// is 0 .. 0.25.
std::size_t nuq_outlier_count(double share, std::size_t d);

struct NuqLayout {
  int bits = 3;  ///< of an index: 2, 3, 4
  std::size_t d = 0;
  std::size_t outliers = 0;  ///< even, at most d / 2
  bool values = false;       ///< with the extremes of the row

  std::size_t index_bytes() const { return d * static_cast<std::size_t>(bits) / 8; }
  std::size_t bytes() const { return index_bytes() + (values ? 4 : 0) + 3 * outliers; }
};

/// Numbers that an index stands for. Centroids decide which index, levels are what it decodes to.
struct NuqCodebook {
  std::vector<std::uint16_t> centroids;  ///< 2^bits, FP16, strictly ascending
  std::vector<std::uint16_t> levels;     ///< 2^bits, FP16: the centroids, or those of Q-Norm
};

/// The exact midpoints of neighbouring centroids. Throws std::invalid_argument unless these are
/// finite and ascend strictly.
std::vector<double> nuq_boundaries_ref(const std::vector<std::uint16_t>& centroids);

/// Number of boundaries below y: a tie takes the lower index.
int nuq_index_ref(const std::vector<double>& boundaries, double y);

/// Calibrated middles and radii of the channels of keys, FP16, d each; radii are not negative.
struct NuqRanges {
  const std::uint16_t* middles;
  const std::uint16_t* radii;
};

/// The elements of a row about its middles.
struct NuqRow {
  std::vector<double> middles, radii;  ///< d each; exact
  std::vector<double> y;               ///< d: FP64 RNE((x - middle) / radius), +0 where radius is 0
  std::vector<std::uint8_t> outliers;  ///< channel numbers, ascending
  std::uint16_t least = 0, largest = 0;  ///< of the other elements of a value, FP16, zero as +0
};

/// A key: outliers are the elements of largest |y|, of equal ones those of lower channels. Throws
/// std::invalid_argument for an element that is not finite.
NuqRow nuq_key_ref(const NuqLayout& layout, const NuqRanges& ranges, const std::uint16_t* x);

/// A value: outliers are the least elements, half of them, then the largest of the others, of equal
/// ones those of lower channels. Throws as nuq_key_ref.
NuqRow nuq_value_ref(const NuqLayout& layout, const std::uint16_t* x);

/// Bytes of a row: indices, extremes of a value, channel numbers of outliers, their elements. x:
/// the row that `of` was made from. row: layout.bytes().
void encode_nuq_ref(const NuqLayout& layout, const std::vector<double>& boundaries,
                    const NuqRow& of, const std::uint16_t* x, std::uint8_t* row);

/// nuq_key_ref and encode_nuq_ref in one.
void encode_nuq_key_ref(const NuqLayout& layout, const std::vector<double>& boundaries,
                        const NuqRanges& ranges, const std::uint16_t* x, std::uint8_t* row);

/// nuq_value_ref and encode_nuq_ref in one.
void encode_nuq_value_ref(const NuqLayout& layout, const std::vector<double>& boundaries,
                          const std::uint16_t* x, std::uint8_t* row);

/// Decodes a row that encode_nuq_ref made: FP32 RNE of FP64 RNE of middle + radius * level, never
/// -0; an outlier is itself. levels: 2^bits. ranges: of keys; null pointers for values. x: d
/// floats.
void decode_nuq_ref(const NuqLayout& layout, const std::vector<std::uint16_t>& levels,
                    const NuqRanges& ranges, const std::uint8_t* row, float* x);

}  // namespace axelram
