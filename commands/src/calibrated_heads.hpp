#pragma once

#include <string>

#include "axelram/calibration/balance.hpp"
#include "axelram/calibration/channels.hpp"
#include "axelram/calibration/keys.hpp"
#include "axelram/calibration/queries.hpp"
#include "axelram/commands/calibrate.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/transformer/workers.hpp"
#include "calibrate_balance.hpp"

namespace axelram::commands {

/// Results that queries give, and the balance.
struct OfQueries {
  std::string balance;  ///< digest of the exponents
  files::QueryMoments moments;
  calibration::Balanced balanced;
  calibration::Channels channels;
};

/// Adds the figures of all heads to the result, with the signs, the center and the feedback that
/// were chosen.
void look_at_heads(const calibration::Keys& keys, const calibration::Queries& queries,
                   const Balancing& balancing, const OfQueries& chosen,
                   checkpoints::Positions positions, transformer::Workers& workers,
                   CalibrateResult* result);

}  // namespace axelram::commands
