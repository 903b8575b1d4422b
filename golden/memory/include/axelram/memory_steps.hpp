#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/memory.hpp"

namespace axelram {

// The steps of a token, whatever finds slots (bit-contract.md#memory). memory_ref searches the
// state itself; a fast memory keeps banks, a queue and a map of free slots beside it.

/// Slots has:
///   MemoryRecords& records(); MemoryState& state();
///   int oldest();                             the `window` slot of least position
///   std::size_t count(SlotLabel label);       of window, exact or summary slots
///   Nearest nearest(int slot, SlotLabel among);
///   std::uint32_t root(int slot);             N of its value record
///   int least_used();                         the `exact` slot that is displaced first
///   int lowest_free();
///   void relabel(int slot, SlotLabel label);  sink or exact
///   void free(int slot); void spawn(int y); int merge(int y, int s);
///   void place(const MemoryToken& token, int gate, int slot);
template <class Slots>
class MemorySteps {
 public:
  explicit MemorySteps(Slots* slots)
      : slots_(*slots), rules_(slots->records().head().memory), state_(slots->state()) {}

  /// A token that was received (receive_token). gate: the code of its logit.
  MemoryEvent take(const MemoryToken& token, int gate) {
    event_ = {};
    const int leaver = evict();
    if (leaver >= 0) summarise(leaver);
    event_.written = slots_.lowest_free();
    slots_.place(token, gate, event_.written);
    return event_;
  }

 private:
  /// bit-contract.md#memory-evict. Returns the leaver, or -1.
  int evict() {
    if (slots_.count(SlotLabel::window) < static_cast<std::size_t>(rules_.window)) return -1;
    const int e = event_.oldest = slots_.oldest();
    if (position(e) < rules_.sinks) {
      slots_.relabel(e, SlotLabel::sink);
      return end(Evicted::sink, -1);
    }
    if (rules_.bank() == 0) return end(Evicted::no_bank, e);
    if (gate(e) < rules_.gate_exact) return end(Evicted::gated_out, e);
    const Nearest n = slots_.nearest(e, SlotLabel::exact);
    event_.against = n.slot;
    if (n.slot < 0 || !close(n, rules_.novel, e)) return admit(e);
    if (!close(n, rules_.match, e)) return end(Evicted::between, e);
    stamp(n.slot) = position(e);
    return end(Evicted::hit, e);
  }

  /// A novel token (bit-contract.md#memory-admit).
  int admit(int e) {
    const bool full = slots_.count(SlotLabel::exact) >= static_cast<std::size_t>(rules_.bank());
    int x = -1;
    if (full) {
      event_.against = x = slots_.least_used();
      if (rules_.evict == EvictKind::gate && gate(e) < gate(x)) return end(Evicted::kept, e);
    }
    slots_.relabel(e, SlotLabel::exact);  // its stamp is its position, as in the window
    return end(full ? Evicted::displaced : Evicted::admitted, x);
  }

  /// bit-contract.md#memory-summarise.
  void summarise(int y) {
    if (rules_.summary == 0 || gate(y) < rules_.gate_summary) {
      event_.leaver = Leaver::dropped;
      return slots_.free(y);
    }
    const Nearest s = slots_.nearest(y, SlotLabel::summary);
    const bool room = slots_.count(SlotLabel::summary) < static_cast<std::size_t>(rules_.summary);
    if (s.slot < 0 || (room && !close(s, rules_.novel, y))) {
      event_.leaver = Leaver::spawned;
      event_.summary = y;
      return slots_.spawn(y);
    }
    event_.leaver = Leaver::merged;
    event_.summary = slots_.merge(y, s.slot);
  }

  int gate(int slot) const { return state_.gates[static_cast<std::size_t>(slot)]; }
  std::int32_t position(int slot) const { return state_.positions[static_cast<std::size_t>(slot)]; }
  std::int32_t& stamp(int slot) { return state_.stamps[static_cast<std::size_t>(slot)]; }

  int end(Evicted evicted, int leaver) {
    event_.evicted = evicted;
    return leaver;
  }

  bool close(const Nearest& other, std::uint32_t threshold, int slot) {
    return reaches(other.acc, threshold, slots_.root(slot), other.root);
  }

  Slots& slots_;
  const MemoryParameters& rules_;
  MemoryState& state_;
  MemoryEvent event_;
};

}  // namespace axelram
