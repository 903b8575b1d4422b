#pragma once

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::engines {

/// Runs a trace with values on a macro that attends, by the CUDA kernels. The host keeps the
/// segments and gives each group of queries the records that it sees, in their order.
files::Result run_attention(const files::Config& config, const files::Trace& trace);

}  // namespace axelram::engines
