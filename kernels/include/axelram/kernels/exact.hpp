#pragma once

#include <cstdint>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"

namespace axelram::kernels {

/// Rows of the exact tokens of sequences (bit-contract.md#exact): copies of keys, or values as they
/// were given. A sequence has first + ring slots for each head, whatever its length. Token t lies
/// in slot t if t < first, otherwise in slot first + (t - first) % ring, where it replaces an older
/// token. Bytes of a sequence and head: (first + ring) * (2d + 4) of keys, (first + ring) * 2d of
/// values.
struct ExactRows {
  std::int32_t heads = 0, head_dim = 0;
  std::int32_t first = 0;  ///< S: 0..16
  std::int32_t last = 0;   ///< R: 0..64
  std::int32_t ring = 0;   ///< at least R; 0 if R is 0
  /// [sequences, heads, first + ring, d] h_i as 16-bit integers, or raw elements of values; 16-byte
  /// aligned.
  std::uint16_t* elements = nullptr;
  std::int32_t* exponents = nullptr;  ///< [sequences, heads, first + ring] e_k, of keys

  bool any() const { return first + last > 0; }
};

/// Puts rows [positions.count, heads, d] and, of keys, exponents [positions.count, heads] into
/// their slots. Tokens that are never exact, those from `first` on if `last` is 0, are skipped.
/// Device memory, `elements` 16-byte aligned.
/// Not checked: a call has at most `ring` tokens of a sequence. A query of token t finds its newest
/// R if no token beyond t + ring - R has been put.
/// Throws DeviceError for first, last or ring out of range, misaligned or missing memory.
void keep_exact(Stream& stream, const ExactRows& to, const TokenPositions& positions,
                const std::uint16_t* elements, const std::int32_t* exponents);

}  // namespace axelram::kernels
