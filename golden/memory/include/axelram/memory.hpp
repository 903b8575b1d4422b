#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/memory_records.hpp"

namespace axelram {

// One token of a memory of constant size (bit-contract.md#memory; references.md#coda-gqa-l): it is
// written to a free slot, after the oldest of the window went to a bank, into a summary, or away.

/// Role of a slot.
enum class SlotLabel : std::uint8_t { free, window, sink, exact, summary };

/// The slots of one layer and KV head. All that belongs to a free slot is 0. Rows are d elements.
struct MemoryState {
  std::int64_t tokens = 0;                    ///< t of the next token
  std::vector<SlotLabel> labels;              ///< S
  std::vector<std::uint8_t> gates;            ///< S: G
  std::vector<std::int32_t> positions;        ///< S: of its token
  std::vector<std::int32_t> stamps;           ///< S: the position of its last use
  std::vector<std::int32_t> merged;           ///< S: tokens in it
  std::vector<std::uint8_t> key_records;      ///< S strings as stored; with `records`
  std::vector<std::uint8_t> value_records;    ///< S strings as stored
  std::vector<std::uint16_t> masters;         ///< S rows, 0 but for summaries; with `records`
  std::vector<std::uint16_t> keys, values;    ///< S rows; with `fp16`
  std::vector<float> wide_keys, wide_values;  ///< S rows; with `f32`

  std::size_t slots() const { return labels.size(); }
};

/// All of them, bit by bit.
bool operator==(const MemoryState& a, const MemoryState& b);

/// A memory without tokens. keys: false for one that only decides, whose tokens have no keys.
MemoryState empty_memory(const MemoryRecords& records, bool keys = true);

/// Inputs of a token (bit-contract.md#memory-token).
struct MemoryToken {
  const std::uint16_t* key;         ///< d, FP16; null if the memory has no keys
  const std::uint16_t* value;       ///< d, FP16
  float gate;                       ///< z, the logit
  const float* wide_key = nullptr;  ///< the same before rounding, with `f32`; otherwise null
  const float* wide_value = nullptr;
};

enum class MemoryStatus : std::uint8_t {
  stored,
  rejected_nonfinite,  ///< a NaN or infinity in a row, rounded to FP16, or in the logit
  rejected_full        ///< the sequence has its longest length
};

/// Fate of the oldest token of the window.
enum class Evicted : std::int32_t {
  nothing,
  gated_out,
  hit,
  between,
  admitted,
  displaced,
  kept,  ///< novel, but the bank keeps its own
  sink,
  no_bank
};

/// Fate of the leaver.
enum class Leaver : std::int32_t { none, dropped, spawned, merged };

/// Decisions of a token (bit-contract.md#memory-events). A slot is -1 where there is none.
struct MemoryEvent {
  Evicted evicted = Evicted::nothing;
  std::int32_t oldest = -1;   ///< the slot e
  std::int32_t against = -1;  ///< the exact slot that e was compared with: the nearest, or x
  Leaver leaver = Leaver::none;
  std::int32_t summary = -1;  ///< the slot that is the summary of the leaver
  std::int32_t written = -1;  ///< of the new token

  std::array<std::int32_t, 6> words() const {
    return {static_cast<std::int32_t>(evicted), oldest,  against,
            static_cast<std::int32_t>(leaver),  summary, written};
  }
};

inline bool operator==(const MemoryEvent& a, const MemoryEvent& b) {
  return a.words() == b.words();
}

/// One token: evict, summarise, write (bit-contract.md#memory-evict,
/// bit-contract.md#memory-summarise, bit-contract.md#memory-write). A token that is rejected
/// changes nothing.
MemoryStatus memory_ref(MemoryRecords* records, MemoryState* state, const MemoryToken& token,
                        MemoryEvent* event);

/// The slots that a query of the newest token sees, ascending: all that are not free
/// (bit-contract.md#memory-attend).
std::vector<std::uint32_t> visible_slots(const MemoryState& state);

}  // namespace axelram
