#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/segments.hpp"

namespace axelram::files {

constexpr std::size_t kCommandColumns = 7;

/// One row of the tensor `commands` of a trace (bit-contract.md#trace-commands).
struct SegmentCommand {
  enum class Kind : std::uint8_t { allocate, append, attend, evict, free };  ///< column 0
  Kind kind = Kind::append;
  std::uint32_t segment = 0;
  Allocation allocation = {};  ///< of allocate
  std::uint32_t n = 0;         ///< of evict
};

/// Meaning of a trace without `commands`: one segment of the whole store, all tokens, then all
/// queries in groups, the last one filled up.
std::vector<SegmentCommand> default_commands(const Config& config, std::size_t tokens,
                                             std::size_t queries);

/// `commands` I32 [n, 7]. Throws InputError, naming the row: for another code, a number out of
/// range, an unused field that is not 0, appends other than `tokens`, attends of other than
/// `queries` in groups, and an allocation that overlaps a segment.
std::vector<SegmentCommand> read_commands(const Safetensors& file, const Config& config,
                                          std::size_t tokens, std::size_t queries);

/// The tensor `commands` of these, row-major.
std::vector<std::int32_t> command_rows(const std::vector<SegmentCommand>& commands);

}  // namespace axelram::files
