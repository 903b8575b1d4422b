#pragma once

#include <cstdint>
#include <vector>

#include "axelram/interpolate.hpp"
#include "axelram/record.hpp"
#include "verify/macro/balance.hpp"

namespace axelram::sim {

/// Numeric corner cases of a stimulus, counted by the golden model.
struct NumericCorners {
  std::uint64_t zero_key = 0, zero_query = 0, subnormal_key = 0, subnormal_query = 0;
  std::uint64_t largest_key = 0, largest_query = 0, nan_key = 0, nan_query = 0;
  std::uint64_t infinity_key = 0, infinity_query = 0, tie_at_zero = 0, tie_elsewhere = 0;
  std::uint64_t norm_saturated = 0, norm_zero = 0, norm_subnormal = 0, key_is_center = 0;
  std::uint64_t norm_tie = 0;  ///< of an unbiased norm
  std::uint64_t levels_tie = 0, cost_limited = 0, paths_tie = 0, best_tie = 0;  ///< of a trellis
  std::uint64_t record_stored = 0, record_rejected = 0;                         ///< from outside
  // Of a residual.
  std::uint64_t residual_zero = 0, z_zero = 0, rho_saturated = 0, both_norms_saturated = 0;
  std::uint64_t half_zero = 0;        ///< of a split key
  std::uint64_t terms_far_apart = 0;  ///< of a score, 24 binary places or more
  // Exact tokens of a query.
  std::uint64_t first_copy = 0, newest_copy = 0, zero_copy = 0, place_without_copy = 0;
  std::uint64_t copy_dropped = 0;  ///< queries behind a token that left the newest ones
  std::uint64_t store_full = 0, query_of_empty_store = 0, query_of_full_store = 0;
  BalanceCorners balanced_keys, balanced_queries;
  std::uint64_t query_saturated = 0, score_zero = 0, score_subnormal = 0, score_saturated = 0;
};

/// Corner cases of a coded memory, counted during a stimulus.
struct CodeCorners {
  std::uint64_t corrected = 0, parity_only = 0, detected = 0;  ///< words
  std::uint64_t undetected = 0;  ///< wrong records without a detected word
  std::uint64_t erased_index[3] = {}, erased_norm[3] = {};  ///< by ErasurePolicy
  // Interpolation, by the neighbours that have the element.
  std::uint64_t index_both = 0, index_left = 0, index_right = 0, index_none = 0, index_tie = 0;
  std::uint64_t norm_both = 0, norm_left = 0, norm_right = 0, norm_none = 0;
  std::uint64_t norm_tie = 0, norm_saturated = 0;
  std::uint64_t full_rate = 0;  ///< records decoded read_rows cycles apart
  std::uint64_t written_by_query = 0, written_by_scrub = 0;
  std::uint64_t lost_to_key = 0, lost_to_read = 0;  ///< write-backs of scrubs
  std::uint64_t scrubs_round = 0;     ///< a scrub of key 0 after a scrub of another key
  std::uint64_t injected[4] = {};     ///< by Injection: masks that were applied
  std::uint64_t injected_beyond = 0;  ///< words with more errors than are corrected
  std::uint64_t first_error = 0, events_at_clear = 0;
};

/// Counts the rules of `policy` that apply to the erased elements of token t.
void note_repair(const Code& code, ErasurePolicy policy, const std::vector<RecordField>& fields,
                 const DecodedRecord& before, const DecodedRecord& current,
                 const DecodedRecord& after, CodeCorners* corners);

}  // namespace axelram::sim
