#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/sim/verify_report.hpp"

namespace axelram::sim {

/// verify() of a macro with attention, whose model is `library`: whole scripts, whose results,
/// rejections and counters must equal those of golden.
VerifyReport verify_attention(const files::Config& config,
                              const std::vector<rtl::GeneratedFile>& generated,
                              const std::string& library, const std::optional<files::Trace>& trace,
                              const VerifyOptions& options);

}  // namespace axelram::sim
