#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "axelram/names.hpp"

namespace axelram {

enum class ElementFormat { fp16, bf16 };
enum class CodebookKind { gaussian, beta };
enum class QuantizerKind { mse, trellis, prod };
enum class ScaleKind { norm, unbiased };

template <>
struct EnumNames<ElementFormat> {
  static constexpr EnumRow<ElementFormat> rows[] = {
      {ElementFormat::fp16, "fp16", "IEEE 754 binary16"},
      {ElementFormat::bf16, "bf16", "bfloat16: the upper half of a binary32"}};
};
template <>
struct EnumNames<CodebookKind> {
  static constexpr EnumRow<CodebookKind> rows[] = {
      {CodebookKind::gaussian, "gaussian", "Lloyd-Max quantizer of the normal distribution"},
      {CodebookKind::beta, "beta",
       "Lloyd-Max quantizer of a coordinate of a uniform point on the sphere in head_dim "
       "dimensions"}};
};
template <>
struct EnumNames<QuantizerKind> {
  static constexpr EnumRow<QuantizerKind> rows[] = {
      {QuantizerKind::mse, "mse", "each index by itself: the nearest level of the codebook"},
      {QuantizerKind::trellis, "trellis",
       "indices that are the path of least error through a trellis of twice as many levels"},
      {QuantizerKind::prod, "prod",
       "mse with one bit less, and the sign of each element of the rotated residual"}};
};
template <>
struct EnumNames<ScaleKind> {
  static constexpr EnumRow<ScaleKind> rows[] = {
      {ScaleKind::norm, "norm", "the Euclidean norm of the key"},
      {ScaleKind::unbiased, "unbiased",
       "the norm that makes the score of a key with itself exact, and so scores unbiased"}};
};

/// Parameters that determine every bit of the macro (bit-contract.md#parameters). Widths are in
/// bits and count the sign (bit-contract.md#widths).
struct Parameters {
  int head_dim = 128;               ///< d: 32, 64, 128 or 256
  int index_bits = 3;               ///< b: 2, 3 or 4
  int significand_bits = 16;        ///< W: 12..20
  int boundary_fraction_bits = 13;  ///< F: 10..16
  int query_bits = 8;               ///< WQ: 6..16
  int centroid_bits = 8;            ///< WC: 6..16
  ElementFormat element_format = ElementFormat::fp16;
  CodebookKind codebook = CodebookKind::gaussian;
  QuantizerKind kind = QuantizerKind::mse;
  ScaleKind scale = ScaleKind::norm;
  int states = 8;         ///< of the trellis: 4, 8 or 16
  int split_high = 0;     ///< h: 1..4; index bits of the channels in sub-vector 0; 0: no split
  int split_low = 0;      ///< l: 1..h; of those in sub-vector 1
  bool centered = false;  ///< a center vector is subtracted from every key
  bool balanced = false;  ///< elements of keys and queries are taken times powers of two
  int exact_first = 0;    ///< S: 0..16; first tokens that are scored from copies of their keys
  int exact_last = 0;     ///< R: 0..64; newest tokens likewise
  int exact_bits = 16;    ///< X: 12..16; bits of an element of a copy

  int log2_dim() const {
    int n = 0;
    while ((1 << n) < head_dim) ++n;
    return n;
  }
  bool trellis() const { return kind == QuantizerKind::trellis; }
  bool prod() const { return kind == QuantizerKind::prod; }
  bool split() const { return split_high != 0; }
  /// Bits of an index in the codebook; of a sub-vector's, with a split, in its part().
  int codebook_bits() const { return index_bits - (prod() ? 1 : 0); }
  int levels() const { return (trellis() ? 2 : 1) << codebook_bits(); }
  int boundaries() const { return trellis() ? 0 : levels() - 1; }

  /// Aligned key element m_i (one more bit where a center is subtracted).
  int aligned_bits() const { return significand_bits + (centered ? 1 : 0); }
  /// Rotated element y_i: exact sums of d aligned elements.
  int rotated_bits() const { return aligned_bits() + log2_dim(); }
  /// S = sum of m_i^2 (unsigned, at most 48) and N = round(sqrt(S)) (unsigned).
  int square_sum_bits() const { return 2 * (aligned_bits() - 1) + log2_dim(); }
  int root_bits() const { return (square_sum_bits() + 1) / 2; }
  /// A = sum of y_i * C[idx_i], the correlation (signed, at most 48 for legal parameters).
  int correlation_bits() const {
    return aligned_bits() + centroid_bits + (3 * log2_dim() + 1) / 2 - 1;
  }
  /// table[i][j] = u_i * C_j.
  int product_bits() const { return query_bits + centroid_bits; }
  /// acc = sum of d table entries (at most 39 for legal parameters).
  int accumulator_bits() const { return product_bits() - 1 + log2_dim(); }
  /// acc * sigma, sigma an 11-bit unsigned significand.
  int scaled_bits() const { return accumulator_bits() + 11; }

  /// Copies of keys, and acc of a copy = sum of d products u_i * h_i (at most 39).
  int copies() const { return exact_first + exact_last; }
  int copy_accumulator_bits() const { return query_bits + exact_bits - 1 + log2_dim(); }

  /// With two norms if a record has two parts: sub-vectors, or indices and residual signs.
  bool two_parts() const { return prod() || split(); }
  int record_bits() const {
    const int indices = split() ? head_dim / 2 * (split_high + split_low) : head_dim * index_bits;
    return indices + (two_parts() ? 32 : 16);
  }
  int record_bytes() const { return record_bits() / 8; }

  /// Parameters of values beside keys of these: not balanced, not centered, without copies.
  Parameters of_values() const {
    Parameters p = *this;
    p.balanced = p.centered = false;
    p.exact_first = p.exact_last = 0;
    return p;
  }

  /// Parameters of sub-vector 0 or 1 of a split: those of a datapath of its own, with half the
  /// elements. Widths follow from them.
  Parameters part(int j) const {
    Parameters p = *this;
    p.head_dim /= 2;
    p.index_bits = j == 0 ? split_high : split_low;
    p.split_high = p.split_low = 0;
    return p;
  }

  int format_fraction_bits() const { return element_format == ElementFormat::fp16 ? 10 : 7; }
  int format_exponent_bits() const { return element_format == ElementFormat::fp16 ? 5 : 8; }
  int format_bias() const { return element_format == ElementFormat::fp16 ? 15 : 127; }
};

/// Throws std::invalid_argument naming the first parameter out of range and its range.
inline void check(const Parameters& p) {
  const auto range = [](const char* name, int value, int low, int high) {
    if (value < low || value > high)
      throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                  "; it must lie in " + std::to_string(low) + ".." +
                                  std::to_string(high));
  };
  if (p.head_dim != 32 && p.head_dim != 64 && p.head_dim != 128 && p.head_dim != 256)
    throw std::invalid_argument("head_dim is " + std::to_string(p.head_dim) +
                                "; it must be 32, 64, 128 or 256");
  range("index_bits", p.index_bits, 2, 4);
  range("significand_bits", p.significand_bits, 12, 20);
  range("boundary_fraction_bits", p.boundary_fraction_bits, 10, 16);
  range("query_bits", p.query_bits, 6, 16);
  range("centroid_bits", p.centroid_bits, 6, 16);
  if (p.states != 4 && p.states != 8 && p.states != 16)
    throw std::invalid_argument("states is " + std::to_string(p.states) +
                                "; it must be 4, 8 or 16");
  range("exact_first", p.exact_first, 0, 16);
  range("exact_last", p.exact_last, 0, 64);
  range("exact_bits", p.exact_bits, 12, 16);
  if (p.copies() != 0 && p.scale != ScaleKind::unbiased)
    throw std::invalid_argument("exact tokens need the scale unbiased");
  if (p.copies() != 0 && p.two_parts())
    throw std::invalid_argument("exact tokens exclude the kind prod and a split");
  if (p.prod() && p.scale != ScaleKind::norm)
    throw std::invalid_argument("the kind prod needs the scale norm");
  if (!p.split() && p.split_low == 0) return;
  range("split_high", p.split_high, 1, 4);
  range("split_low", p.split_low, 1, p.split_high);
  if (p.prod() || p.scale != ScaleKind::unbiased)
    throw std::invalid_argument("a split needs the scale unbiased, and the kind mse or trellis");
}

}  // namespace axelram
