#pragma once

#include <cstdint>

#include "axelram/interpolate.hpp"

namespace axelram::sim {

/// Corners of the memory behind a code that a stimulus has met.
struct CodeCorners {
  std::uint64_t corrected = 0, parity_only = 0, detected = 0;  ///< words
  std::uint64_t undetected = 0;  ///< records read wrong, no word detected
  std::uint64_t erased_index[3] = {}, erased_norm[3] = {};  ///< by ErasurePolicy
  // Interpolation, by the neighbours that have the element.
  std::uint64_t index_both = 0, index_left = 0, index_right = 0, index_none = 0, index_tie = 0;
  std::uint64_t norm_both = 0, norm_left = 0, norm_right = 0, norm_none = 0;
  std::uint64_t norm_tie = 0, norm_saturated = 0;
  std::uint64_t full_rate = 0;  ///< records decoded read_rows cycles apart
  std::uint64_t written_by_query = 0, written_by_scrub = 0;
  std::uint64_t lost_to_key = 0, lost_to_read = 0;  ///< write-backs of scrubs
  std::uint64_t scrubs_round = 0;                   ///< a scrub of key 0 after another key's
  std::uint64_t injected[4] = {};                   ///< by Injection: loads that took effect
  std::uint64_t injected_beyond = 0;                ///< words with more errors than are corrected
  std::uint64_t first_error = 0, events_at_clear = 0;
};

/// Counts which rule of `policy` each erased element of token t follows.
void note_repair(const Code& code, ErasurePolicy policy, int d, int index_bits,
                 const DecodedRecord& before, const DecodedRecord& current,
                 const DecodedRecord& after, CodeCorners* corners);

}  // namespace axelram::sim
