#pragma once

#include <optional>
#include <string>

#include "axelram/attention_macro.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/driver.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::sim {

/// Runs a trace (checked by read_trace) on a golden macro of these units that ends at the scores.
files::Result run_golden(const files::Config& config, const files::Trace& trace,
                         const UnitTable& units = reference_units());

/// Commands of a trace with values: its own, or the default ones.
std::vector<files::SegmentCommand> segment_commands(const files::Config& config,
                                                    const files::Trace& trace);

struct AttentionRun {
  files::Result result;
  AttentionCounters events;
};

/// Runs a trace with values on a golden macro that attends.
AttentionRun run_golden_attention(const files::Config& config, const files::Trace& trace,
                                  const UnitTable& units = reference_units());

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

/// Result of a configuration without tokens and queries: sizes and metadata.
files::Result empty_result(const files::Config& config);

/// Appends the rows of a record from outside: its indices, levels and norm, and 0 for what a record
/// does not tell. `record` and `codeword` are left to the caller.
void append_record(const Parameters& parameters, const std::uint8_t* record, files::Result* result);

}  // namespace axelram::sim
