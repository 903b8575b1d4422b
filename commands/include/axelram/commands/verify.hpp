#pragma once

#include <optional>
#include <string>

#include "axelram/commands/progress.hpp"
#include "axelram/sim/verify.hpp"

namespace axelram::commands {

struct VerifyOptions {
  std::string config, trace, json;  ///< trace: may be empty
  sim::VerifyOptions verify;
  bool require_coverage = false;
  bool force = false;
};

struct VerifyResult {
  std::string configuration, trace;
  std::uint64_t seed = 1;
  std::size_t vectors = 0;
  double seconds = 0;
  sim::VerifyReport report;
  bool coverage_required = false;
  bool covers = false;  ///< the bins have the hits of the RTL's covers

  bool covered() const;  ///< every reachable corner was met
  bool holds() const { return report.holds() && (covered() || !coverage_required); }
};

/// Compares the RTL with golden, value by value and cycle by cycle.
VerifyResult verify(const VerifyOptions& options, const Progress& progress = {},
                    const Show<VerifyResult>& show = {});

std::string to_json(const VerifyResult& result);

}  // namespace axelram::commands
