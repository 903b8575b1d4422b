#pragma once

#include <string>

#include "axelram/files/result.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "axelram/sim/engine.hpp"
#include "check.hpp"
#include "sim/fields.hpp"

namespace axelram::sim {

/// Runs a trace through the RTL with and without stalls of the streams. Bytes of the results must
/// be those of golden, and the cycles without stalls those of the model. Gives the run without
/// stalls.
inline RtlRun checked_run(const files::Config& config, const files::Trace& trace,
                          const Stalls& stalls = {0.2, 0.2, 6}) {
  CASE(files::canonical_yaml(config));
  const std::string library = build_model(rtl::generate_observed(config), {false, true, {}});
  const RtlRun run = run_rtl(config, trace, library, {}, 1, "");
  CHECK(files::first_difference(run::golden(config, trace), run.result) == std::nullopt);
  CHECK_SAME(run.cycles,
             cycle_model(rtl::Layout(config), {trace.key_count(), 0}, trace.query_count()));
  const RtlRun stalled = run_rtl(config, trace, library, stalls, 2, "");
  CHECK(files::first_difference(run.result, stalled.result) == std::nullopt);
  return run;
}

}  // namespace axelram::sim
