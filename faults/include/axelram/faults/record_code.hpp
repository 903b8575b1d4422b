#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "axelram/fast_codes.hpp"
#include "axelram/parameters.hpp"
#include "axelram/record.hpp"

namespace axelram::faults {

/// One bit of a string; bit 0 is the least significant bit of byte 0 (bit-contract.md#notation).
inline bool get_bit(const std::uint8_t* bytes, std::size_t at) {
  return (bytes[at / 8] >> (at % 8) & 1) != 0;
}
inline void toggle_bit(std::uint8_t* bytes, std::size_t at) {
  bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] ^ 1U << (at % 8));
}

/// Layout of a stored record under one code, and its decoder. Without a code ("none") a word is a
/// byte without check bits: n = k = 8, every word clean.
class RecordCode {
 public:
  /// Throws std::invalid_argument for an unknown code.
  RecordCode(const std::string& name, const Parameters& parameters);
  RecordCode(Code code, const Parameters& parameters);

  const std::string& name() const { return code_.name; }
  const Code& code() const { return code_; }
  bool coded() const { return code_.check_bits() != 0; }

  const std::vector<RecordField>& fields() const { return fields_; }
  /// Elements of a record, indices and residual signs, and their bits, which precede those of the
  /// norms.
  std::size_t elements() const;
  std::size_t element_bits() const { return fields_.back().first; }
  std::size_t norms() const { return static_cast<std::size_t>(fields_.back().count); }
  std::size_t words() const { return words_; }
  std::size_t record_bytes() const { return record_bytes_; }
  std::size_t stored_bits() const { return words_ * static_cast<std::size_t>(code_.n); }
  std::size_t stored_bytes() const { return (stored_bits() + 7) / 8; }
  std::size_t data_bits() const { return words_ * static_cast<std::size_t>(code_.k); }
  std::size_t data_bytes() const { return (data_bits() + 7) / 8; }
  std::size_t status_bytes() const { return axelram::status_bytes(words_); }

  /// Decodes one stored string. data: data_bytes(), the record and the padding of its last word; a
  /// miscorrection may change the padding like any other bit.
  DecodeCounts decode(const std::uint8_t* stored, std::uint8_t* data, std::uint8_t* statuses) const;

 private:
  Code code_;
  BulkCode bulk_;
  std::vector<RecordField> fields_;
  std::size_t record_bytes_, words_;
};

/// The decoder under test: RecordCode::decode or a replacement.
using RecordDecoder = std::function<DecodeCounts(const RecordCode& code, const std::uint8_t* stored,
                                                 std::uint8_t* data, std::uint8_t* statuses)>;

}  // namespace axelram::faults
