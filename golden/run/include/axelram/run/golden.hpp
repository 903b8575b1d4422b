#pragma once

#include "axelram/attention_macro.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/unit_table.hpp"

/// Runs of a trace (checked by read_trace) on a golden macro of these units.
namespace axelram::run {

/// On a macro that ends at the scores.
files::Result golden(const files::Config& config, const files::Trace& trace,
                     const UnitTable& units = reference_units());

struct AttentionRun {
  files::Result result;
  AttentionCounters events;
};

/// A trace with values on a macro that attends.
AttentionRun golden_attention(const files::Config& config, const files::Trace& trace,
                              const UnitTable& units = reference_units());

}  // namespace axelram::run
