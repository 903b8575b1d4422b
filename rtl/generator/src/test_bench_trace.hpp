#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::rtl {

/// A trace of items and commands for a macro with attention, and what golden does with it, as the
/// lines of memory files.
struct BenchTrace {
  explicit BenchTrace(const files::Config& config);

  std::string operations;  ///< {1 for a command, kind, segment, rotation, wrap, base, capacity,
                           ///< sinks, n, elements}; an item has a line for each beat
  std::string outputs;     ///< a line for each beat: {1 for the last of a head, m, L, elements}
  std::string scores;      ///< {1 for the last token, a score of each query}
  std::size_t operation_count = 0, output_count = 0, score_count = 0, groups = 0;
  std::vector<std::uint64_t> counts;  ///< of errors, in the order of error_counts_o
};

}  // namespace axelram::rtl
