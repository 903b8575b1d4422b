#pragma once

#include <cstddef>
#include <string>

#include "axelram/commands/progress.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/files/tier_result.hpp"

namespace axelram::commands {

struct RunCacheOptions {
  std::string cache, trace, output, json;
  bool force = false;
  EngineKind engine = EngineKind::fast;  ///< golden or fast
};

struct RunCacheResult {
  std::string cache;  ///< in its shortest form
  std::string trace;
  EngineKind engine;
  files::TierResult result;
  double seconds = 0;
};

/// Puts the keys and values of a trace through a tiered cache, attends with its queries, and saves
/// what each tier made of them (bit-contract.md#tier-result).
RunCacheResult run_cache(const RunCacheOptions& options, const Progress& progress = {},
                         const Show<RunCacheResult>& show = {});

std::string to_json(const RunCacheResult& result);

}  // namespace axelram::commands
