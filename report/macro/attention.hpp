#pragma once

#include <optional>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/report/line.hpp"

namespace axelram::report {

/// The whole report of a macro with attention: operations, memory, cycles and accuracy. Its units
/// in hardware are not counted.
std::vector<Line> attention_report(const files::Config& config,
                                   const std::optional<files::Trace>& trace,
                                   const MappedDesign* mapped);

}  // namespace axelram::report
