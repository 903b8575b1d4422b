#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/run/script.hpp"

namespace axelram::sim {

/// The first steps of a script, with the vectors that they take.
run::AttentionScript prefix_of(const files::Config& config, const run::AttentionScript& script,
                               std::size_t steps);

/// A trace with commands that does what a script does, as far as a trace can: a group that asks for
/// scores asks for outputs, and a clear frees and allocates again. Left out are vectors with a NaN
/// or an infinity, and all other steps; `left_out` says what.
struct TraceOfScript {
  files::Trace trace;
  std::string left_out;  ///< "3 loads of the softmax scale, 1 injection"; "": nothing
};
TraceOfScript trace_of(const files::Config& config, const run::AttentionScript& script);

}  // namespace axelram::sim
