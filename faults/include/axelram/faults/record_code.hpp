#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "axelram/fast_codes.hpp"
#include "axelram/parameters.hpp"

namespace axelram::faults {

/// How records lie in the memory, and the one place that codes them. Without a code ("none") words
/// are bytes that nobody checks: n = k = 8, every word clean.
class RecordCode {
 public:
  /// Throws std::invalid_argument for an unknown code.
  RecordCode(const std::string& name, const Parameters& parameters);
  RecordCode(Code code, const Parameters& parameters);

  const std::string& name() const { return code_.name; }
  const Code& code() const { return code_; }
  bool coded() const { return code_.check_bits() != 0; }

  int head_dim() const { return head_dim_; }
  int index_bits() const { return index_bits_; }
  std::size_t words() const { return words_; }
  std::size_t record_bytes() const { return record_bytes_; }
  std::size_t stored_bits() const { return words_ * static_cast<std::size_t>(code_.n); }
  std::size_t stored_bytes() const { return (stored_bits() + 7) / 8; }
  std::size_t data_bits() const { return words_ * static_cast<std::size_t>(code_.k); }
  std::size_t data_bytes() const { return (data_bits() + 7) / 8; }
  std::size_t status_bytes() const { return axelram::status_bytes(words_); }

  /// Decodes one stored string. data: data_bytes(), the record and then the padding of the last
  /// word, which a miscorrection may hit like any other bit.
  DecodeCounts decode(const std::uint8_t* stored, std::uint8_t* data, std::uint8_t* statuses) const;

 private:
  Code code_;
  BulkCode bulk_;
  int head_dim_, index_bits_;
  std::size_t record_bytes_, words_;
};

/// RecordCode::decode, or what takes its place.
using RecordDecoder = std::function<DecodeCounts(const RecordCode& code, const std::uint8_t* stored,
                                                 std::uint8_t* data, std::uint8_t* statuses)>;

}  // namespace axelram::faults
