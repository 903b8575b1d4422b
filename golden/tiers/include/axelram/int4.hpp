#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/fault.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/names.hpp"

namespace axelram {

/// INT4 rows of a KV cache (bit-contract.md#int4; references.md#ecc-kv-cache).

enum class Int4Mode : std::uint8_t {
  symmetric,  ///< value = q * scale, q in -7..7, two's complement; a decoded -8 is -8
  asymmetric  ///< value = minimum + q * scale, q in 0..15
};

template <>
struct EnumNames<Int4Mode> {
  static constexpr EnumRow<Int4Mode> rows[] = {
      {Int4Mode::symmetric, "symmetric", "value = q * scale, q in -7..7"},
      {Int4Mode::asymmetric, "asymmetric", "value = minimum + q * scale, q in 0..15"}};
};

enum class Int4Groups : std::uint8_t {
  token,   ///< a group is `group` neighbouring values of one token
  channel  ///< a group is one channel of `group` consecutive tokens (keys)
};

struct Int4Format {
  Int4Mode mode = Int4Mode::symmetric;
  Int4Groups groups = Int4Groups::token;
  int group = 0;  ///< values that share a scale; 0: all of the row, or of the channel
};

/// The rows of one head. Scales and minima are FP16 bits, neither coded nor corrupted.
struct Int4Rows {
  Int4Format format;
  std::size_t tokens = 0;
  int d = 0;
  std::vector<std::uint8_t> rows;  ///< [tokens, d / 2]; value i of a row at its bits 4i .. 4i + 3
  std::vector<std::uint16_t> scales;  ///< [tokens, d / group], or [tokens / group, d]
  std::vector<std::uint16_t> minima;  ///< as scales; empty where symmetric

  std::size_t row_bytes() const { return static_cast<std::size_t>(d) / 2; }
  std::size_t row_bits() const { return static_cast<std::size_t>(d) * 4; }
  /// Index of the scale of a value.
  std::size_t group_of(std::size_t token, int channel) const;
  /// q of a value.
  int value(std::size_t token, int channel) const;
  void set_value(std::size_t token, int channel, int q);
};

/// Quantizes rows. x: [tokens, d] floats; FP16 and BF16 elements are exact as floats. The range of
/// an asymmetric group begins at its minimum as stored. Minima beyond +-65504 and scales beyond
/// 65504 saturate (only BF16 and FP32 reach them). Throws std::invalid_argument for a value that is
/// not finite, a d that is not positive and even, or a group that does not divide d
/// (Int4Groups::token) or tokens (channel).
Int4Rows quantize_int4_ref(const float* x, std::size_t tokens, int d, const Int4Format& format);

/// Dequantizes rows. x: [tokens, d], overwritten: FP32 RNE of the exact minimum + q * scale, or the
/// exact q * scale if symmetric.
void dequantize_int4_ref(const Int4Rows& rows, float* x);

/// Codewords of the rows, each row coded separately: [tokens, code.codeword_bytes(row_bits())].
std::vector<std::uint8_t> encode_int4_ref(const Code& code, const Int4Rows& rows);

/// Flips bits in rows of `bits` bits that begin at whole bytes: row t is XORed with the mask of
/// token site.token + t (bit-contract.md#bit-errors).
void corrupt_rows_ref(const FaultSite& site, std::uint64_t threshold, std::size_t rows,
                      std::size_t bits, std::uint8_t* stored);

/// Decodes [tokens, codeword bytes] into rows->rows, whose size, scales and minima stay, and
/// repairs erased values (bit-contract.md#erasures). Zero is q = 0 if symmetric, group_steps_ref of
/// 0 if asymmetric. The mean is that of q of the neighbouring tokens as decoded. Any codeword bytes
/// are legal.
DecodeCounts decode_int4_ref(const Code& code, const std::uint8_t* codewords, ErasurePolicy policy,
                             Int4Rows* rows);

}  // namespace axelram
