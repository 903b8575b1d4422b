#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "axelram/commands/config_file.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/engines/engine.hpp"

namespace axelram::commands {

struct RunOptions {
  std::string config, trace, output, json;
  bool force = false;
  EngineKind engine = EngineKind::fast;
  /// Second moments of queries, a file: keys are encoded with feedback and enter the macro as
  /// records, except the first exact ones. "": as the macro encodes.
  std::string feedback;
  // Engine rtl alone:
  std::string waves;       ///< FST; a GTKWave view is written beside it
  double stalls = 0;       ///< probability per cycle that a stream stalls
  std::uint64_t seed = 1;  ///< of the stalls and of registers without reset

  /// The file that `gtkwave FILE.gtkw` opens together with the waveform; "" without one.
  std::string view() const;
};

struct RunResult {
  std::string configuration, trace;
  EngineKind engine;
  engines::RunOutcome outcome;
  std::optional<sim::Cycles> predicted;  ///< by the cycle model, without stalls; not of attention
  std::size_t records = 0;               ///< keys that entered the macro as records
  double stalls = 0;
  std::uint64_t seed = 1;
};

/// Writes the keys of a trace, scores its queries or attends with them, and saves all results.
/// file: of options.config. Throws files::InputError if it has a bounded memory.
RunResult run(const ConfigFile& file, const RunOptions& options, const Progress& progress = {},
              const Show<RunResult>& show = {});

std::string to_json(const RunResult& result);

}  // namespace axelram::commands
