#include "axelram/memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tuple>

#include "axelram/gate.hpp"
#include "axelram/memory_rows.hpp"

namespace axelram {
namespace {

/// Decisions on a token, each from the state alone: N is formed anew, slots are searched one by
/// one.
class Decisions {
 public:
  Decisions(MemoryRecords* records, MemoryState* state, MemoryEvent* event)
      : records_(*records),
        rules_(records->head().memory),
        words_(records->words()),
        state_(*state),
        event_(*event) {}

  /// Step 1 (bit-contract.md#memory-evict). Returns the leaver, or -1.
  int evict() {
    const std::vector<int> window = labelled(SlotLabel::window);
    if (window.size() < static_cast<std::size_t>(rules_.window)) return -1;
    const int e = *std::min_element(window.begin(), window.end(),
                                    [&](int a, int b) { return position(a) < position(b); });
    event_.oldest = e;
    if (position(e) < rules_.sinks) {
      event_.evicted = Evicted::sink;
      label(e) = SlotLabel::sink;
      return -1;
    }
    if (rules_.bank() == 0) return end(Evicted::no_bank, e);
    if (gate(e) < rules_.gate_exact) return end(Evicted::gated_out, e);
    const Nearest n = nearest(e, SlotLabel::exact);
    event_.against = n.slot;
    if (n.slot < 0 || !close(n, rules_.novel, e)) return admit(e);
    if (!close(n, rules_.match, e)) return end(Evicted::between, e);
    stamp(n.slot) = position(e);
    return end(Evicted::hit, e);
  }

  /// Step 2 (bit-contract.md#memory-summarise).
  void summarise(int y) {
    if (rules_.summary == 0 || gate(y) < rules_.gate_summary) {
      event_.leaver = Leaver::dropped;
      return free_slot(records_, &state_, y);
    }
    const Nearest s = nearest(y, SlotLabel::summary);
    const bool room =
        labelled(SlotLabel::summary).size() < static_cast<std::size_t>(rules_.summary);
    if (s.slot < 0 || (room && !close(s, rules_.novel, y))) {
      event_.leaver = Leaver::spawned;
      event_.summary = y;
      return spawn_summary(reference_row_units(), &records_, &state_, y);
    }
    event_.leaver = Leaver::merged;
    event_.summary = merge_summary(reference_row_units(), &records_, &state_, y, s.slot);
  }

 private:
  SlotLabel& label(int slot) { return state_.labels[static_cast<std::size_t>(slot)]; }
  int gate(int slot) const { return state_.gates[static_cast<std::size_t>(slot)]; }
  std::int32_t position(int slot) const { return state_.positions[static_cast<std::size_t>(slot)]; }
  std::int32_t& stamp(int slot) { return state_.stamps[static_cast<std::size_t>(slot)]; }

  int end(Evicted evicted, int leaver) {
    event_.evicted = evicted;
    return leaver;
  }

  std::vector<int> labelled(SlotLabel wanted) const {
    std::vector<int> slots;
    for (std::size_t slot = 0; slot < state_.slots(); ++slot)
      if (state_.labels[slot] == wanted) slots.push_back(static_cast<int>(slot));
    return slots;
  }

  /// The value record of a slot as read.
  std::vector<std::uint8_t> record(int slot) {
    const std::size_t bytes = records_.stored_bytes();
    const std::uint8_t* const read =
        records_.read(&state_.value_records[static_cast<std::size_t>(slot) * bytes]);
    return {read, read + records_.record_bytes()};
  }

  Nearest nearest(int slot, SlotLabel among) {
    const std::vector<int> slots = labelled(among);
    std::vector<std::vector<std::uint8_t>> copies;
    std::vector<const std::uint8_t*> of_slots;
    for (const int other : slots) copies.push_back(record(other));
    for (const auto& copy : copies) of_slots.push_back(copy.data());
    return nearest_ref(words_, record(slot).data(), slots.data(), of_slots.data(), slots.size());
  }

  bool close(const Nearest& other, std::uint32_t threshold, int slot) {
    return reaches(other.acc, threshold, record_root_ref(words_, record(slot).data()), other.root);
  }

  /// A novel token (bit-contract.md#memory-admit).
  int admit(int e) {
    const std::vector<int> bank = labelled(SlotLabel::exact);
    const bool full = bank.size() >= static_cast<std::size_t>(rules_.bank());
    int x = -1;
    if (full) {
      x = *std::min_element(bank.begin(), bank.end(),
                            [&](int a, int b) { return use(a) < use(b); });
      event_.against = x;
      if (rules_.evict == EvictKind::gate && gate(e) < gate(x)) return end(Evicted::kept, e);
    }
    label(e) = SlotLabel::exact;
    stamp(e) = position(e);
    return end(full ? Evicted::displaced : Evicted::admitted, x);
  }

  /// Use of an exact slot; the least leaves first.
  std::tuple<int, std::int32_t, int> use(int slot) {
    return {rules_.evict == EvictKind::gate ? gate(slot) : 0, stamp(slot), slot};
  }

  MemoryRecords& records_;
  const MemoryParameters& rules_;
  RecordWords words_;
  MemoryState& state_;
  MemoryEvent& event_;
};

int lowest_free_slot(const MemoryState& state) {
  const auto at = std::find(state.labels.begin(), state.labels.end(), SlotLabel::free);
  if (at == state.labels.end()) throw std::logic_error("a memory has a slot too few");
  return static_cast<int>(at - state.labels.begin());
}

}  // namespace

bool operator==(const MemoryState& a, const MemoryState& b) {
  const auto integers = [](const MemoryState& m) {
    return std::tie(m.tokens, m.labels, m.gates, m.positions, m.stamps, m.merged, m.key_records,
                    m.value_records, m.masters, m.keys, m.values);
  };
  const auto same_bits = [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
  };
  return integers(a) == integers(b) && same_bits(a.wide_keys, b.wide_keys) &&
         same_bits(a.wide_values, b.wide_values);
}

MemoryState empty_memory(const MemoryRecords& records, bool keys) {
  const MemoryParameters& rules = records.head().memory;
  const auto slots = static_cast<std::size_t>(rules.slots());
  const std::size_t elements = slots * static_cast<std::size_t>(records.head().parameters.head_dim);
  const std::size_t bytes = slots * records.stored_bytes();
  MemoryState state;
  state.labels.resize(slots);
  state.gates.resize(slots);
  state.positions.resize(slots);
  state.stamps.resize(slots);
  state.merged.resize(slots);
  state.value_records.resize(bytes);
  switch (rules.store) {
    case MemoryStore::records:
      if (keys) state.key_records.resize(bytes);
      state.masters.resize(elements);
      break;
    case MemoryStore::fp16:
      if (keys) state.keys.resize(elements);
      state.values.resize(elements);
      break;
    case MemoryStore::f32:
      if (keys) state.wide_keys.resize(elements);
      state.wide_values.resize(elements);
      break;
  }
  return state;
}

MemoryStatus memory_ref(MemoryRecords* records, MemoryState* state, const MemoryToken& token,
                        MemoryEvent* event) {
  std::vector<std::uint8_t> key(records->stored_bytes()), value(key.size());
  const MemoryStatus status = receive_token(records, *state, token, key.data(), value.data());
  if (status != MemoryStatus::stored) return status;
  *event = {};
  Decisions decisions(records, state, event);
  const int leaver = decisions.evict();
  if (leaver >= 0) decisions.summarise(leaver);
  event->written = lowest_free_slot(*state);
  place_token(*records, state, token, gate_code_ref(token.gate), key.data(), value.data(),
              event->written);
  return status;
}

std::vector<std::uint32_t> visible_slots(const MemoryState& state) {
  std::vector<std::uint32_t> slots;
  for (std::size_t slot = 0; slot < state.slots(); ++slot)
    if (state.labels[slot] != SlotLabel::free) slots.push_back(static_cast<std::uint32_t>(slot));
  return slots;
}

}  // namespace axelram
