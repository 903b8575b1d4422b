#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/memory.hpp"

namespace axelram::files {

/// Tokens of one layer and KV head for a bounded memory, and what is asked of it
/// (bit-contract.md#memory-trace). T tokens, Q queries; FP16 raw, row-major.
struct MemoryTrace {
  std::vector<std::uint16_t> keys, values;  ///< [T, d]
  std::vector<float> gates;                 ///< [T] logits
  std::vector<std::uint16_t> queries;       ///< [Q, d]
  std::vector<std::int32_t> query_tokens;   ///< [Q], 0 .. T - 1, not descending
  std::vector<std::int32_t> snapshots;      ///< tokens after which slots are shown, ascending
  std::optional<MemoryState> initial;       ///< slots before the first token

  std::size_t tokens() const { return gates.size(); }
};

/// Reads a trace for a memory of these records. Throws InputError for a NaN or infinity, wrong
/// shapes or types, a missing tensor, tokens out of order, and initial slots that no tokens leave.
MemoryTrace read_memory_trace(const std::string& path, const MemoryRecords& records);
MemoryTrace memory_trace_from(const Safetensors& file, const MemoryRecords& records);

}  // namespace axelram::files
