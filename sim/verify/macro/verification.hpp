#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/sim/verify_report.hpp"

namespace axelram::sim {

/// verify() of a macro that ends at the scores, whose model is `library`: phases of commands, in
/// which every value and every cycle must equal those of golden.
VerifyReport verify_macro(const files::Config& config,
                          const std::vector<rtl::GeneratedFile>& generated,
                          const std::string& library, const std::optional<files::Trace>& trace,
                          const VerifyOptions& options);

}  // namespace axelram::sim
