#pragma once

#include <optional>
#include <string>

#include "axelram/attention_macro.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/driver.hpp"

namespace axelram::sim {

struct RtlRun {
  files::Result result;  ///< every tensor sampled from the RTL
  Cycles cycles;
  std::optional<AttentionCounters> events;  ///< of a macro that attends
};

/// Runs a trace on the RTL. `library` is the path that build_model returned; `waves` is the path of
/// an FST to write, or empty. Throws SimulationError if the RTL hangs or outputs too many or too
/// few values.
RtlRun run_rtl(const files::Config& config, const files::Trace& trace, const std::string& library,
               Stalls stalls, std::uint64_t seed, const std::string& waves);

/// The same of a macro that attends.
RtlRun run_rtl_attention(const files::Config& config, const files::Trace& trace,
                         const std::string& library, Stalls stalls, std::uint64_t seed,
                         const std::string& waves);

}  // namespace axelram::sim
