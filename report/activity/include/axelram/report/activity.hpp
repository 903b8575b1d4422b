#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::report {

/// Sizes of the workload: keys stored and scored, the last of them that are written in a window of
/// their own, and queries; the seed of all.
struct ActivityWorkload {
  static constexpr std::size_t kScored = 32, kWritten = 4, kQueries = 2;
  static constexpr std::uint64_t kSeed = 1;
  static constexpr std::uint64_t kCycleTime = 10;  ///< of a cycle in the waveform
};

/// Changes of all bits of some signals, in the windows of a workload.
struct Toggles {
  std::uint64_t bits = 0;  ///< of the signals, the clock apart
  std::uint64_t write = 0, query = 0, score = 0;
};

/// What the signals of a macro do in a simulation of its RTL. A key is written alone. A query is a
/// window up to its table, and one in which it reads the keys.
struct Activity {
  /// By instance with the generate blocks around it, such as "u_macro.g_lane[0].u_memory"; "": the
  /// top. Signals in generate blocks that are in no instance stand by the block.
  std::map<std::string, Toggles> scopes;
  std::uint64_t keys_written = 0, queries = 0, keys_scored = 0;        ///< in all windows
  std::uint64_t write_cycles = 0, query_cycles = 0, score_cycles = 0;  ///< of all windows
};

/// Simulates Gaussian keys and queries, the same at every call. Throws files::EnvironmentError if
/// the model cannot be built.
Activity measure_activity(const files::Config& config,
                          const std::function<void(const std::string&)>& progress = {});

/// A window of a waveform: from a time to before another, in the units of the file.
struct Window {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t Toggles::*counts = nullptr;
};

/// Changes of signals in a VCD file of Verilator, by scope without the first two, in windows that
/// follow one another. The first value of a signal is no change. The clock and signals with the
/// name "unused" are left out. Throws files::EnvironmentError if
/// it is no such file.
std::map<std::string, Toggles> toggles_of_vcd(const std::string& path,
                                              const std::vector<Window>& windows);

}  // namespace axelram::report
