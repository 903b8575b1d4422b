#pragma once

#include "axelram/calibration/keys.hpp"

namespace axelram::calibration {

/// Runs the model over all windows. `take(inputs, row)` gets what attention sees of a window whose
/// first token is number `row` of all windows' tokens, once it has been found to fit.
void run_windows(
    const Source& source,
    const std::function<void(const transformer::AttentionInputs&, std::size_t row)>& take);

std::size_t token_count(const Source& source);

}  // namespace axelram::calibration
