#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/memory.hpp"
#include "axelram/transformer/head_memory.hpp"

namespace axelram::caches {

/// Counts what becomes of the tokens of a memory.
class MemoryLife {
 public:
  /// Ends the sequence so far, and goes on from a state.
  void begin(const MemoryState& state) {
    settle();
    positions_.assign(state.slots(), kFree);
    used_ = 0;
    for (std::size_t slot = 0; slot < state.slots(); ++slot) {
      if (state.labels[slot] == SlotLabel::free) continue;
      positions_[slot] = state.positions[slot];
      ++used_;
    }
  }

  /// A token that led to `state`.
  void add(const MemoryEvent& event, const MemoryState& state) {
    begun_ = true;
    counts_.evicted += event.evicted == Evicted::nothing ? 0 : 1;
    counts_.gated_out += event.evicted == Evicted::gated_out ? 1 : 0;
    counts_.hits += event.evicted == Evicted::hit ? 1 : 0;
    counts_.between += event.evicted == Evicted::between ? 1 : 0;
    counts_.displaced += event.evicted == Evicted::displaced ? 1 : 0;
    const bool novel = event.evicted == Evicted::admitted || event.evicted == Evicted::displaced ||
                       event.evicted == Evicted::kept;
    counts_.novel += novel ? 1 : 0;
    counts_.spawned += event.leaver == Leaver::spawned ? 1 : 0;
    counts_.merged += event.leaver == Leaver::merged ? 1 : 0;
    const auto written = static_cast<std::size_t>(event.written);
    if (event.leaver == Leaver::dropped || event.leaver == Leaver::merged) free_one(state, written);
    positions_[written] = state.positions[written];
    ++used_;
  }

  transformer::MemoryCounts counts() const {
    transformer::MemoryCounts all = counts_;
    all.sequences += begun_ ? 1 : 0;
    all.used += begun_ ? used_ : 0;
    return all;
  }

 private:
  static constexpr std::int32_t kFree = -1;

  void settle() {
    counts_ = counts();
    begun_ = false;
  }

  /// A leaver that was dropped or merged makes one slot free, which may be written at once.
  void free_one(const MemoryState& state, std::size_t written) {
    for (std::size_t slot = 0; slot < positions_.size(); ++slot) {
      if (positions_[slot] == kFree) continue;
      if (slot != written && state.labels[slot] != SlotLabel::free) continue;
      ++counts_.freed;
      counts_.lives += static_cast<std::uint64_t>(state.tokens - 1 - positions_[slot]);
      positions_[slot] = kFree;
      --used_;
      return;
    }
  }

  transformer::MemoryCounts counts_;  ///< of sequences that ended, and of events
  bool begun_ = false;                ///< the sequence has a token
  std::uint64_t used_ = 0;
  std::vector<std::int32_t> positions_;  ///< of the tokens of slots
};

}  // namespace axelram::caches
