#pragma once

#include <string>

#include "axelram/faults/campaign.hpp"

namespace axelram::cli {

/// Word failure rate against the fault rate, log-log, as SVG: closed forms as lines, measured
/// points with their intervals.
std::string faults_plot(const faults::CampaignReport& report, const files::Config& config);

}  // namespace axelram::cli
