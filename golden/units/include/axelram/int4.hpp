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

/// The INT4 cache of the ECC paper (bit contract, INT4).

enum class Int4Mode : std::uint8_t {
  symmetric,  ///< value = q * scale, q in -7..7, two's complement; a decoded -8 counts as it is
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
  /// Where the scale of a value lies.
  std::size_t group_of(std::size_t token, int channel) const;
  /// q of a value.
  int value(std::size_t token, int channel) const;
  void set_value(std::size_t token, int channel, int q);
};

/// FP16 RNE((high - low) / steps), of the exact quotient; 0 where it is negative, at most 65504.
/// low is an FP16 value, high any float, steps 1..16.
std::uint16_t int4_scale_ref(double high, double low, int steps);

/// clamp(RNE((x - minimum) / scale), 0, most), of the exact quotient; 0 where scale is 0. minimum
/// and scale >= 0 are FP16 values, x any float, most <= 15.
int int4_steps_ref(double x, double minimum, double scale, int most);

/// x: [tokens, d] floats, which FP16 and BF16 elements are exactly. An asymmetric group's range is
/// taken from its minimum as stored. Minima beyond +-65504 and scales beyond 65504 saturate (only
/// BF16 and FP32 reach them). Throws std::invalid_argument for a value that is not finite, a d that
/// is not positive and even, or a group that does not divide d (Int4Groups::token) or tokens
/// (channel).
Int4Rows quantize_int4_ref(const float* x, std::size_t tokens, int d, const Int4Format& format);

/// x: [tokens, d], overwritten: FP32 RNE of the exact minimum + q * scale (without a minimum it is
/// exact).
void dequantize_int4_ref(const Int4Rows& rows, float* x);

/// The codewords of every row, each coded on its own: [tokens, code.codeword_bytes(row_bits())].
std::vector<std::uint8_t> encode_int4_ref(const Code& code, const Int4Rows& rows);

/// Bit errors in rows of `bits` bits that begin at whole bytes: row t is XORed with the mask of
/// token site.token + t.
void corrupt_rows_ref(const FaultSite& site, std::uint64_t threshold, std::size_t rows,
                      std::size_t bits, std::uint8_t* stored);

/// Decodes [tokens, codeword bytes] into rows->rows, whose size, scales and minima stay, and
/// repairs erased values (bit contract, Erasures): zero is q = 0, or int4_steps_ref of 0 where
/// asymmetric; the mean is taken of the q of the neighbouring tokens as decoded. Any codeword bytes
/// are legal.
DecodeCounts decode_int4_ref(const Code& code, const std::uint8_t* codewords, ErasurePolicy policy,
                             Int4Rows* rows);

}  // namespace axelram
