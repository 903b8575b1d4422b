#pragma once

#include "axelram/commands/calibrate.hpp"
#include "json.hpp"

namespace axelram::commands {

/// Inputs of the calibration of tiers. They are checked before long work begins.
struct TierSetup {
  calibration::TierOptions options;
  std::optional<calibration::ElementWeights> weights;
};

/// Throws files::InputError for runs of SQuat that do not divide the model's heads, and as
/// calibration::read_element_weights. rows: of all windows.
TierSetup tier_setup(const CalibrateOptions& options, const checkpoints::Architecture& architecture,
                     std::size_t rows);

/// Writes the file of constants, which names the model by its digest.
void write_tiers(const CalibrateOptions& options, std::size_t window,
                 const checkpoints::Checkpoint& checkpoint, calibration::CalibratedTiers* tiers);

/// Figures and choices; null without tiers.
Json tiers_json(const CalibrateResult& result);

}  // namespace axelram::commands
