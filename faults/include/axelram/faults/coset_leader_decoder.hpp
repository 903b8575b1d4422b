#pragma once

#include <cstdint>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/faults/weights.hpp"

namespace axelram::faults {

/// Correction radius t of a code: (d - 1) / 2 of its minimum distance d. d is counted from the
/// columns of H, so a new code needs no entry here. Throws std::logic_error if the row of
/// code_families() states another radius.
int correction_radius(const Code& code);
/// The same if the codewords by weight are known.
int correction_radius(const Code& code, const WeightCounts& codewords);

/// Independent decoder for the closed forms, built only from the columns of H: every error pattern
/// of weight <= t, looked up by its syndrome. It shares no code or tables with the decoders under
/// test (Code::patterns and the tables made from it).
class CosetLeaderDecoder {
 public:
  /// Throws std::logic_error if two patterns of weight <= t share a syndrome.
  explicit CosetLeaderDecoder(const Code& code)
      : CosetLeaderDecoder(code, correction_radius(code)) {}
  CosetLeaderDecoder(const Code& code, int radius);

  /// Correction and status of the words with this syndrome.
  const ErrorPattern& operator[](std::size_t syndrome) const { return by_syndrome_[syndrome]; }
  std::size_t size() const { return by_syndrome_.size(); }

  /// Decodes `words` consecutive codewords. data: words * k bits; statuses as decode_bulk_ref
  /// writes them.
  DecodeCounts decode(const std::uint8_t* codewords, std::size_t words, std::uint8_t* data,
                      std::uint8_t* statuses) const;

 private:
  std::size_t n_, k_;
  std::vector<std::uint32_t> columns_;
  std::vector<ErrorPattern> by_syndrome_;
};

}  // namespace axelram::faults
