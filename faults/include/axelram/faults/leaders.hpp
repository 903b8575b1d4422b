#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"

namespace axelram::faults {

/// A decoder of the closed forms' own: what a code promises, from the columns of its H alone. It
/// shares nothing with Code::patterns and the fast tables made of them, which are what a campaign
/// is to judge.
class Leaders {
 public:
  /// Throws std::logic_error where two patterns of weight <= t share a syndrome: no such promise.
  explicit Leaders(const Code& code);

  /// By syndrome: what is flipped, and the status.
  const ErrorPattern& operator[](std::size_t syndrome) const { return by_syndrome_[syndrome]; }
  std::size_t size() const { return by_syndrome_.size(); }

  /// Decodes `words` codewords, one after the other. data: words * k bits; statuses as
  /// decode_bulk_ref writes them.
  DecodeCounts decode(const std::uint8_t* codewords, std::size_t words, std::uint8_t* data,
                      std::uint8_t* statuses) const;

 private:
  std::size_t n_, k_;
  std::vector<std::uint32_t> columns_;
  std::vector<ErrorPattern> by_syndrome_;
};

/// Errors in a word that the code of this name puts right: t.
int promised_errors(const std::string& name);

}  // namespace axelram::faults
