#pragma once

#include <string>

#include "axelram/faults/campaign.hpp"
#include "axelram/faults/dump.hpp"

namespace axelram::cli {

/// Tables of a campaign; with `details`, every statistic.
std::string faults_text(const faults::CampaignReport& report, bool details);

/// A replayed case: the words and elements of its key that changed, and the score error.
std::string replay_text(const faults::Case& c, const faults::Replay& replay);

}  // namespace axelram::cli
