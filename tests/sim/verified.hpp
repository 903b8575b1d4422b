#pragma once

#include "axelram/sim/verify.hpp"
#include "check.hpp"

namespace axelram::sim {

/// Verifies a macro without a fault: it holds, and every corner is met.
inline VerifyReport check_verified(const files::Config& config, const VerifyOptions& options) {
  VerifyReport report = verify(config, rtl::generate_observed(config), std::nullopt, options);
  REQUIRE_MESSAGE(report.holds(), report.mismatch->text);
  for (const CoverageBin& bin : report.coverage) CHECK_MESSAGE(bin.met(), bin.name);
  return report;
}

/// Options of a short run.
inline VerifyOptions brief(std::size_t vectors) {
  VerifyOptions options;
  options.vectors = vectors;
  options.fast_compile = true;
  return options;
}

}  // namespace axelram::sim
