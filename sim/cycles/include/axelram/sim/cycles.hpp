#pragma once

#include <cstdint>

namespace axelram::sim {

/// Cycles by phase. Without stalls cycle_model() predicts each of them.
struct Cycles {
  std::uint64_t write = 0;   ///< first beat of a key to the last record stored or rejected
  std::uint64_t rotate = 0;  ///< first beat of a query to the start of its table, summed
  std::uint64_t build = 0;   ///< tables
  std::uint64_t read = 0;    ///< lookups
  std::uint64_t tail = 0;    ///< with attention: behind the reads of a group, to its last output
  std::uint64_t total = 0;   ///< first beat to the last event
  bool operator==(const Cycles&) const = default;
};

}  // namespace axelram::sim
