#include <algorithm>

#include "axelram/bit_string.hpp"
#include "axelram/codewords.hpp"

namespace axelram {
namespace {

Word read_word(const Code& code, const std::uint8_t* codewords, std::size_t word) {
  const std::size_t at = word * static_cast<std::size_t>(code.n);
  return {read_bits(codewords, at, code.k),
          static_cast<std::uint32_t>(
              read_bits(codewords, at + static_cast<std::size_t>(code.k), code.check_bits()))};
}

void write_word(const Code& code, std::uint8_t* codewords, std::size_t word, const Word& value) {
  const std::size_t at = word * static_cast<std::size_t>(code.n);
  write_bits(codewords, at, code.k, value.data);
  write_bits(codewords, at + static_cast<std::size_t>(code.k), code.check_bits(), value.check);
}

/// Bits of word `word` that belong to a string of `bits` bits; the rest of it is padding.
int used_bits(const Code& code, std::size_t bits, std::size_t word) {
  const auto k = static_cast<std::size_t>(code.k);
  return static_cast<int>(std::min(k, bits - word * k));
}

}  // namespace

void encode_bulk_ref(const Code& code, const std::uint8_t* data, std::size_t bits,
                     std::uint8_t* codewords) {
  std::fill_n(codewords, code.codeword_bytes(bits), std::uint8_t{0});
  for (std::size_t j = 0; j < code.words(bits); ++j) {
    const std::uint64_t word =
        read_bits(data, j * static_cast<std::size_t>(code.k), used_bits(code, bits, j));
    write_word(code, codewords, j, encode_ref(code, word));
  }
}

DecodeCounts decode_bulk_ref(const Code& code, const std::uint8_t* codewords, std::size_t bits,
                             std::uint8_t* data, std::uint8_t* statuses) {
  std::fill_n(data, (bits + 7) / 8, std::uint8_t{0});
  if (statuses != nullptr) std::fill_n(statuses, status_bytes(code.words(bits)), std::uint8_t{0});
  DecodeCounts counts;
  for (std::size_t j = 0; j < code.words(bits); ++j) {
    const Decoded decoded = decode_ref(code, read_word(code, codewords, j));
    write_bits(data, j * static_cast<std::size_t>(code.k), used_bits(code, bits, j),
               decoded.word.data);
    if (statuses != nullptr)
      write_bits(statuses, 2 * j, 2, static_cast<std::uint64_t>(decoded.status));
    counts.clean += decoded.status == WordStatus::clean;
    counts.corrected += decoded.status == WordStatus::corrected;
    counts.parity_only += decoded.status == WordStatus::parity_only;
    counts.detected += decoded.status == WordStatus::detected;
  }
  return counts;
}

std::uint64_t correct_bulk_ref(const Code& code, std::uint8_t* codewords, std::size_t bits) {
  std::uint64_t replaced = 0;
  for (std::size_t j = 0; j < code.words(bits); ++j) {
    const Word received = read_word(code, codewords, j);
    const Decoded decoded = decode_ref(code, received);
    replaced += decoded.word != received;
    write_word(code, codewords, j, decoded.word);
  }
  return replaced;
}

}  // namespace axelram
