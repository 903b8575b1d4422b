#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "axelram/caches/cache.hpp"

namespace axelram::caches {

/// How rows of bits lie in a memory: as codewords, or as they are.
class RowCode {
 public:
  /// name: none, or one that make_code knows; bits: of a row, a multiple of 8.
  RowCode(const std::string& name, std::size_t bits, const UnitTable& units);

  const Code* code() const { return code_ ? &*code_ : nullptr; }
  const UnitTable& units() const { return *units_; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t words() const { return words_; }  ///< 0 without a code
  std::size_t stored_bits() const { return stored_bits_; }
  std::size_t stored_bytes() const { return (stored_bits_ + 7) / 8; }
  std::size_t status_bytes() const { return axelram::status_bytes(words_); }
  /// Of a row and the padding of its last word, which miscorrections may hit like any other bit.
  std::size_t data_bytes() const { return (data_bits_ + 7) / 8; }

  void encode(const std::uint8_t* row, std::uint8_t* stored) const;
  /// data: data_bytes(); statuses: status_bytes().
  DecodeCounts decode(const std::uint8_t* stored, std::uint8_t* data, std::uint8_t* statuses) const;

 private:
  std::optional<Code> code_;
  std::shared_ptr<const BulkCoder> coder_;  ///< null without a code
  const UnitTable* units_;
  std::size_t row_bytes_, words_ = 0, data_bits_, stored_bits_;
};

}  // namespace axelram::caches
