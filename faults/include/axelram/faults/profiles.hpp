#pragma once

#include <vector>

#include "axelram/code.hpp"
#include "axelram/faults/weights.hpp"

namespace axelram::faults {

/// Error patterns of a word by outcome and weight. The first five add up to all 2^n.
struct WordProfile {
  WeightCounts clean;           ///< no error
  WeightCounts corrected;       ///< to the stored data
  WeightCounts parity_only;     ///< only the overall parity bit was wrong
  WeightCounts detected;        ///< left as received
  WeightCounts miscorrected;    ///< decoded to another codeword
  WeightCounts failed() const;  ///< detected or miscorrected
};
WordProfile word_profile(const Code& code);

/// Outcome of `count` data bits of a word from bit `first` on.
struct PartProfile {
  /// Word not detected, by the error left on these bits. Not resolved: two entries, right and
  /// wrong.
  std::vector<WeightCounts> undetected;
  WeightCounts detected_right;  ///< word detected, these bits were received right
  WeightCounts detected_wrong;
};
/// resolve: one entry for each of the 2^count errors (count at most about 4).
PartProfile part_profile(const Code& code, int first, int count, bool resolve);

}  // namespace axelram::faults
