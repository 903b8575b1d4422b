#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/code.hpp"

namespace axelram {

/// Words of a decoded string by status; they add up to the words decoded.
struct DecodeCounts {
  std::uint64_t clean = 0, corrected = 0, parity_only = 0, detected = 0;

  DecodeCounts& operator+=(const DecodeCounts& other) {
    clean += other.clean;
    corrected += other.corrected;
    parity_only += other.parity_only;
    detected += other.detected;
    return *this;
  }
  bool operator==(const DecodeCounts& other) const {
    return clean == other.clean && corrected == other.corrected &&
           parity_only == other.parity_only && detected == other.detected;
  }
};

/// Bytes of the statuses of `words` words. A status is the value of WordStatus in two bits; word j
/// is at bits 2*(j mod 4) of byte j/4, with zeros to the end of the last byte.
constexpr std::size_t status_bytes(std::size_t words) { return (words + 3) / 4; }
inline WordStatus status_at(const std::uint8_t* statuses, std::size_t word) {
  return static_cast<WordStatus>(statuses[word / 4] >> (2 * (word % 4)) & 3);
}

/// Encodes a string of bits (a record, an INT4 row, a whole buffer). The string is cut from bit 0
/// into words of k bits, the last one padded with zeros. Codeword j is at bits j*n .. j*n + n - 1,
/// with zeros to the end of the last byte. Bit 0 is the least significant bit of byte 0
/// (bit-contract.md#codewords).
/// data: ceil(bits/8) bytes; bits beyond `bits` are ignored. codewords:
/// code.codeword_bytes(bits) bytes, overwritten. The two must not overlap.
void encode_bulk_ref(const Code& code, const std::uint8_t* data, std::size_t bits,
                     std::uint8_t* codewords);

/// Decodes and corrects the codewords of encode_bulk_ref(); any codeword bytes are legal. data:
/// ceil(bits/8) bytes, overwritten, zeros beyond `bits`. statuses: status_bytes(code.words(bits))
/// bytes, overwritten, or null.
DecodeCounts decode_bulk_ref(const Code& code, const std::uint8_t* codewords, std::size_t bits,
                             std::uint8_t* data, std::uint8_t* statuses);

/// Scrubs a memory: replaces each word that decoding corrects by its codeword, and leaves all other
/// words. `bits` as in decode_bulk_ref. Returns the number of words replaced.
std::uint64_t correct_bulk_ref(const Code& code, std::uint8_t* codewords, std::size_t bits);

/// One code prepared for many strings: encode_bulk_ref, decode_bulk_ref and correct_bulk_ref, or
/// their fast twins.
class BulkCoder {
 public:
  virtual ~BulkCoder() = default;
  virtual void encode(const std::uint8_t* data, std::size_t bits,
                      std::uint8_t* codewords) const = 0;
  virtual DecodeCounts decode(const std::uint8_t* codewords, std::size_t bits, std::uint8_t* data,
                              std::uint8_t* statuses) const = 0;
  virtual std::uint64_t correct(std::uint8_t* codewords, std::size_t bits) const = 0;
};

}  // namespace axelram
