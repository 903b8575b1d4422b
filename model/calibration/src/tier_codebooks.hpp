#pragma once

#include "axelram/calibration/tiers.hpp"

namespace axelram::calibration {

/// Ranges and codebooks of the keys of a layer, all heads together, into its places of `all`.
void key_codebooks(const TierRows& rows, const ElementWeights* weights, std::size_t layer,
                   files::TierConstants* all, std::array<CodebookFigures, 3>* figures);

/// Codebooks of the values.
void value_codebooks(const TierRows& rows, const ElementWeights* weights, std::size_t layer,
                     files::TierConstants* all, std::array<CodebookFigures, 3>* figures);

}  // namespace axelram::calibration
