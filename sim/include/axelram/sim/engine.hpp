#pragma once

#include <string>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/driver.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::sim {

/// Runs a trace (checked by read_trace) through a golden macro of these units.
files::Result run_golden(const files::Config& config, const files::Trace& trace,
                         const UnitTable& units = reference_units());

struct RtlRun {
  files::Result result;  ///< every tensor sampled from the RTL
  Cycles cycles;
};

/// Runs the same trace through the RTL. `library` as build_model returned it; `waves`: path of an
/// FST to write, or empty. Throws std::runtime_error if the RTL hangs or shows too much or too
/// little.
RtlRun run_rtl(const files::Config& config, const files::Trace& trace, const std::string& library,
               Stalls stalls, std::uint64_t seed, const std::string& waves);

/// The empty result of a configuration: sizes and metadata, no tokens, no queries.
files::Result empty_result(const files::Config& config);

}  // namespace axelram::sim
