#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axelram/sim/coverage.hpp"
#include "axelram/sim/cycles.hpp"

namespace axelram::sim {

struct VerifyReport;

struct VerifyOptions {
  std::uint64_t seed = 1;      ///< seed of stimulus, stalls and registers without reset
  std::size_t vectors = 2000;  ///< number of random keys and queries
  std::string directory;       ///< directory for files about a mismatch; empty: none
  bool fast_compile = false;   ///< see BuildOptions
  bool covers = false;         ///< also count the covers of the RTL
  std::function<void(const std::string&)> progress;  ///< one line at a time; may be empty
  /// Called with the report of a mismatch before its files are written; may be empty.
  std::function<void(const VerifyReport&)> before_files;
};

/// One stimulus and its outcome.
struct VerifyPhase {
  std::string name;  ///< "directed", "random, heavy stalls", "trace, no stalls", ...
  std::uint64_t keys = 0;
  std::uint64_t records = 0;  ///< from outside
  std::uint64_t queries = 0;
  std::uint64_t compared = 0;  ///< values compared with the golden model
  Cycles cycles;
  std::optional<Cycles> predicted;  ///< prediction of the cycle model, if there are no stalls
  bool holds = false;
};

struct Mismatch {
  std::string phase;
  std::string
      tensor;  ///< tensor of a result, or "store", "errors", "assertion", "protocol", "cycles"
  std::uint64_t cycle = 0;
  std::string text;  ///< element, expected value and value of the RTL
};

struct VerifyReport {
  std::vector<VerifyPhase> phases;
  std::vector<CoverageBin> coverage;
  std::optional<Mismatch> mismatch;  ///< first mismatch, which ends verification
  std::vector<std::string> dumped;   ///< files written for the mismatch
  bool holds() const { return !mismatch; }
};

}  // namespace axelram::sim
