#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/memory.hpp"

namespace axelram {

// Changes of the slots of a memory that follow from decisions, by the units of its records.
// Whatever finds slots shares them.

/// Whether the memory can take a token. Writes its records as stored: key (stored_bytes(); null
/// without keys) and value. position: state.tokens.
MemoryStatus receive_token(MemoryRecords* records, const MemoryState& state,
                           const MemoryToken& token, std::uint8_t* key, std::uint8_t* value);

/// Puts a token that was received into a free slot as `window`.
void place_token(const MemoryRecords& records, MemoryState* state, const MemoryToken& token,
                 int gate, const std::uint8_t* key, const std::uint8_t* value, int slot);

/// Makes a slot free: all of it is 0.
void free_slot(const MemoryRecords& records, MemoryState* state, int slot);

/// Makes leaver y a summary of its own (bit-contract.md#memory-spawn).
void spawn_summary(MemoryRecords* records, MemoryState* state, int y);

/// Merges leaver y into summary s (bit-contract.md#memory-merge). Returns the slot that stays; the
/// other one is free.
int merge_summary(MemoryRecords* records, MemoryState* state, int y, int s);

}  // namespace axelram
