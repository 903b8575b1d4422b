#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/sim/coverage.hpp"
#include "axelram/sim/driver.hpp"

namespace axelram::sim {

struct VerifyOptions {
  std::uint64_t seed = 1;      ///< of stimulus, stalls and the registers without reset
  std::size_t vectors = 2000;  ///< random keys and queries, together
  std::string directory;       ///< where a mismatch is dumped; empty: nowhere
  bool fast_compile = false;   ///< as BuildOptions
  std::function<void(const std::string&)> progress;  ///< one line at a time; may be empty
};

/// One stimulus and what came of it.
struct VerifyPhase {
  std::string name;  ///< "directed", "random, heavy stalls", "trace, no stalls", ...
  std::uint64_t keys = 0;
  std::uint64_t queries = 0;
  std::uint64_t compared = 0;  ///< values compared with the golden model
  Cycles cycles;
  std::optional<Cycles> predicted;  ///< the cycle model, where no stream paused
  bool holds = false;
};

struct Mismatch {
  std::string phase;
  std::string
      tensor;  ///< tensor of a result, or "store", "errors", "assertion", "protocol", "cycles"
  std::uint64_t cycle = 0;
  std::string text;  ///< which element; expected against seen
};

struct VerifyReport {
  std::vector<VerifyPhase> phases;
  std::vector<CoverageBin> coverage;
  std::optional<Mismatch> mismatch;  ///< the first; verification stops there
  std::vector<std::string> dumped;   ///< files written for the mismatch
  bool holds() const { return !mismatch; }
};

/// RTL against golden, value by value and cycle by cycle: directed corner cases, random vectors and
/// the trace (if any), without stalls, with light and with heavy ones, with resets and clears in
/// the middle. `generated` is the RTL to verify (generate(config), or a mutant of it).
VerifyReport verify(const files::Config& config, const std::vector<rtl::GeneratedFile>& generated,
                    const std::optional<files::Trace>& trace, const VerifyOptions& options);

/// A GTKWave view of this configuration's waveform: streams, FSM, observation; `marker_cycle` (if
/// any) is where it opens.
std::string gtkwave_view(const files::Config& config, const std::string& fst_path,
                         std::optional<std::uint64_t> marker_cycle);

}  // namespace axelram::sim
