#pragma once

#include <optional>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/sim/verify_report.hpp"

namespace axelram::sim {

/// Compares RTL and golden model in every value and every cycle: directed corner cases, random
/// vectors and the trace (if any), without stalls, with light and heavy stalls, with resets and
/// clears. `generated` is the RTL to verify: generate(config), or a mutant of it.
VerifyReport verify(const files::Config& config, const std::vector<rtl::GeneratedFile>& generated,
                    const std::optional<files::Trace>& trace, const VerifyOptions& options);

}  // namespace axelram::sim
