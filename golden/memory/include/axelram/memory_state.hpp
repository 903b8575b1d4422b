#pragma once

#include "axelram/memory.hpp"

namespace axelram {

/// Throws std::invalid_argument, in one line that states the slot, what is wrong and what would be
/// right, unless tokens of this memory can have left such a state (bit-contract.md#memory-state):
/// sizes, labels, banks, positions, stamps, merged, finite rows, zeros in free slots. It cannot
/// tell whether they did.
void check_memory_state(const MemoryRecords& records, const MemoryState& state);

}  // namespace axelram
