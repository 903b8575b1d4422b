#pragma once

#include <string>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/commands/synthesis.hpp"
#include "axelram/report/report.hpp"

namespace axelram::commands {

struct ReportOptions {
  std::string config, trace, json;  ///< trace: may be empty
  SynthesisOptions synthesis = {};
  bool force = false;
};

struct ReportResult {
  std::string configuration;
  std::vector<report::Line> lines;
  report::Synthesis synthesis = report::Synthesis::none;
  std::vector<std::string> disagreements;  ///< of the netlist with the closed forms
};

/// Operations, hardware, memory, cycles and accuracy of a configuration.
ReportResult report(const ReportOptions& options, const Progress& progress = {},
                    const Show<ReportResult>& show = {});

std::string to_json(const ReportResult& result);

}  // namespace axelram::commands
