#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/calibration/keys.hpp"
#include "axelram/files/tier_constants.hpp"
#include "axelram/transformer/rotary_table.hpp"

namespace axelram::calibration {

/// What constants of tiers are made from: rows of every layer and KV head as the hot tier of a
/// cache holds them, window by window, and what queries look for.
struct TierRows {
  files::Rope rope = files::Rope::post;  ///< of the keys, and of the moments
  std::size_t layers = 0, heads = 0, rows = 0, d = 0;
  std::vector<std::uint16_t> keys, values;  ///< [layers, heads, rows, d], FP16
  /// [layers, heads, d, d]: mean of q q^T over the queries of all query heads that share the key;
  /// with rope pre the mean over all pairs of a query and a token that it sees, of the vector that
  /// meets the token's key before its rotation (bit-contract.md#squat-calibration).
  std::vector<double> moments;

  const std::uint16_t* of(const std::vector<std::uint16_t>& all, std::size_t layer,
                          std::size_t head) const {
    return &all[(layer * heads + head) * rows * d];
  }
  const double* moment(std::size_t layer, std::size_t head) const {
    return &moments[(layer * heads + head) * d * d];
  }
};

/// Runs the model over the windows. Throws files::InputError, as run_windows, for a row that FP16
/// does not hold.
TierRows collect_tier_rows(const Source& source, files::Rope rope);

/// Adds, for all queries q of token i = 0 .. tokens - 1 and all t that they see, the outer product
/// of R_t^T q with itself, R_t being the rotation of position t; O(tokens * d^2). A query sees its
/// own token and those before it, of a `span` that is not 0 as many together. queries: [tokens],
/// `next` floats apart, each of `group` heads of d, behind the rotation. moment: [d, d].
void add_moments_before(const float* queries, std::size_t tokens, std::size_t next,
                        std::size_t group, std::size_t d, std::size_t span,
                        const transformer::RotaryTable& rotary, double* moment);

}  // namespace axelram::calibration
