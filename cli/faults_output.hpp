#pragma once

#include <cstdint>
#include <string>

#include "axelram/faults/campaign.hpp"
#include "axelram/faults/dump.hpp"

namespace axelram::cli {

/// Of a campaign, for programs: a list with an entry for each rate, code and policy.
std::string faults_json(const faults::CampaignReport& report, const files::Config& config,
                        const std::string& trace, const std::string& engine, std::uint64_t seed);
/// For people; `details`: every statistic.
std::string faults_text(const faults::CampaignReport& report, bool details);
/// Word failure rate against the fault rate, log-log, as SVG: closed forms as lines, measured
/// points with their intervals.
std::string faults_plot(const faults::CampaignReport& report, const files::Config& config);
/// What happens in a replayed case.
std::string replay_text(const faults::Case& c, const faults::Replay& replay);

}  // namespace axelram::cli
