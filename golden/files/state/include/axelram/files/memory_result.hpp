#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/memory.hpp"

namespace axelram::files {

/// Result of a bounded memory for one trace (bit-contract.md#memory-trace). T tokens, Q queries, P
/// snapshots, S slots.
struct MemoryResult {
  std::size_t d = 0, stored_bytes = 0;  ///< of a row and of a record
  int index_bits = 0;
  MemoryParameters parameters{};
  CodebookRom rom;
  std::vector<std::uint8_t> gate_codes;    ///< [T]
  std::vector<MemoryEvent> events;         ///< [T]
  std::vector<MemoryState> snapshots;      ///< [P]
  std::vector<std::int64_t> accumulators;  ///< [Q, S], 0 where free
  std::vector<float> scores;               ///< [Q, S], +0 where free

  std::size_t queries() const {
    return scores.size() / static_cast<std::size_t>(parameters.slots());
  }
};

/// Throws like write_safetensors.
void write_memory_result(const std::string& path, const MemoryResult& result, bool force);

}  // namespace axelram::files
