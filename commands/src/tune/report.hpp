#pragma once

#include <string>
#include <vector>

#include "axelram/commands/tune.hpp"

namespace axelram::commands::tunes {

inline constexpr char kReportName[] = "report.md";

/// `report.md`: what was chosen and why, what each candidate costs, and the heads, layer by layer.
std::string report_of(const TuneResult& result);

/// Files of the paper's macro, which the report names.
std::vector<std::string> plain_files(const TuneResult& result);

/// Three significant digits.
std::string short_number(double value);

}  // namespace axelram::commands::tunes
