#pragma once

#include "axelram/faults/campaign.hpp"
#include "plot.hpp"

namespace axelram::cli {

/// Word failure rate against the fault rate on logarithmic axes: closed forms as lines, measurements
/// as points with their intervals. Values of 0 are left out.
Plot faults_plot(const faults::CampaignReport& report, const files::Config& config);

}  // namespace axelram::cli
