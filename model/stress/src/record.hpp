#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/stress/norm_ratio.hpp"
#include "axelram/stress/plan.hpp"

namespace axelram::stress {

inline constexpr char kRecord[] = "stress.json";
/// Its key that marks a folder as replaceable, and of the options in the metadata of
/// model.safetensors.
inline constexpr char kRecordKey[] = "axelram_stress";

/// The options on one line.
std::string options_text(const Changes& options);

/// stress.json: options, what was measured, and of every layer and head the pairs with their
/// factors and the constant's norm.
std::string record_text(const std::string& source, const Changes& options,
                        const std::vector<LayerPlan>& plan, const std::optional<RatioFit>& fit);

}  // namespace axelram::stress
