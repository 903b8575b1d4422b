#pragma once

#include <string>

#include "axelram/commands/run.hpp"
#include "axelram/files/memory_result.hpp"

namespace axelram::commands {

struct RunMemoryResult {
  std::string configuration, trace;
  EngineKind engine;
  files::MemoryResult result;
  double seconds = 0;
};

/// Puts the tokens of a trace through the bounded memory of a macro, with golden or fast, scores
/// its queries at their moments and saves events, slots and scores (bit-contract.md#memory-trace).
/// file: of options.config, which has such a memory.
RunMemoryResult run_memory(const ConfigFile& file, const RunOptions& options,
                           const Show<RunMemoryResult>& show = {});

std::string to_json(const RunMemoryResult& result);

}  // namespace axelram::commands
