#pragma once

#include "axelram/calibration/keys.hpp"

namespace axelram::calibration {

/// Rows [tokens, heads * head_dim] that attention sees.
struct HeadRows {
  const char* name;
  const float* values;
  std::size_t heads;
  bool of_tiers = false;  ///< FP16, whatever the element format
};

/// Throws files::InputError for the first value that the rows' element format does not hold;
/// `row`: number of the first row among all windows' tokens.
void check_fits(const Source& source, const transformer::AttentionInputs& inputs, std::size_t row,
                const HeadRows& rows);

/// Runs the model over all windows. `take(inputs, row)` gets what attention sees of a window whose
/// first token is number `row` of all windows' tokens, once keys and values have been found to fit.
void run_windows(
    const Source& source,
    const std::function<void(const transformer::AttentionInputs&, std::size_t row)>& take);

std::size_t token_count(const Source& source);

}  // namespace axelram::calibration
