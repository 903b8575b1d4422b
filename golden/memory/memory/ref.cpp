#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "axelram/gate.hpp"
#include "axelram/memory.hpp"
#include "axelram/memory_rows.hpp"
#include "axelram/memory_steps.hpp"

namespace axelram {
namespace {

/// The slots of a state, found in the state alone: N is formed anew, and slots are searched one by
/// one.
class PlainSlots {
 public:
  PlainSlots(MemoryRecords* records, MemoryState* state, const std::uint8_t* key,
             const std::uint8_t* value)
      : records_(*records), state_(*state), key_(key), value_(value) {}

  MemoryRecords& records() { return records_; }
  MemoryState& state() { return state_; }

  int oldest() {
    return least(SlotLabel::window, [&](std::size_t slot) { return state_.positions[slot]; });
  }
  std::size_t count(SlotLabel label) const { return labelled(label).size(); }

  Nearest nearest(int slot, SlotLabel among) {
    const std::vector<int> slots = labelled(among);
    std::vector<std::vector<std::uint8_t>> copies;
    std::vector<const std::uint8_t*> of_slots;
    for (const int other : slots) copies.push_back(record(other));
    for (const auto& copy : copies) of_slots.push_back(copy.data());
    return nearest_ref(records_.words(), record(slot).data(), slots.data(), of_slots.data(),
                       slots.size());
  }

  std::uint32_t root(int slot) { return record_root_ref(records_.words(), record(slot).data()); }

  /// Use is the stamp, of equal stamps the slot; with `gate` the gate comes before both.
  int least_used() {
    const bool by_gate = records_.head().memory.evict == EvictKind::gate;
    return least(SlotLabel::exact, [&](std::size_t slot) {
      return std::pair(by_gate ? state_.gates[slot] : 0, state_.stamps[slot]);
    });
  }

  int lowest_free() {
    return least(SlotLabel::free, [](std::size_t slot) { return slot; });
  }

  void relabel(int slot, SlotLabel label) { state_.labels[static_cast<std::size_t>(slot)] = label; }
  void free(int slot) { free_slot(records_, &state_, slot); }
  void spawn(int y) { spawn_summary(&records_, &state_, y); }
  int merge(int y, int s) { return merge_summary(&records_, &state_, y, s); }
  void place(const MemoryToken& token, int gate, int slot) {
    place_token(records_, &state_, token, gate, key_, value_, slot);
  }

 private:
  std::vector<int> labelled(SlotLabel wanted) const {
    std::vector<int> slots;
    for (std::size_t slot = 0; slot < state_.slots(); ++slot)
      if (state_.labels[slot] == wanted) slots.push_back(static_cast<int>(slot));
    return slots;
  }

  /// The slot of a label whose `value` is least, of equal ones the lowest.
  template <class Value>
  int least(SlotLabel label, Value value) const {
    const std::vector<int> slots = labelled(label);
    if (slots.empty()) throw std::logic_error("a memory has no slot with this label");
    return *std::min_element(slots.begin(), slots.end(), [&](int a, int b) {
      return value(static_cast<std::size_t>(a)) < value(static_cast<std::size_t>(b));
    });
  }

  /// The value record of a slot as read.
  std::vector<std::uint8_t> record(int slot) {
    const std::size_t bytes = records_.stored_bytes();
    const std::uint8_t* const read =
        records_.read(&state_.value_records[static_cast<std::size_t>(slot) * bytes]);
    return {read, read + records_.record_bytes()};
  }

  MemoryRecords& records_;
  MemoryState& state_;
  const std::uint8_t *key_, *value_;
};

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
  PlainSlots slots(records, state, key.data(), value.data());
  *event = MemorySteps<PlainSlots>(&slots).take(token, gate_code_ref(token.gate));
  return status;
}

std::vector<std::uint32_t> visible_slots(const MemoryState& state) {
  std::vector<std::uint32_t> slots;
  for (std::size_t slot = 0; slot < state.slots(); ++slot)
    if (state.labels[slot] != SlotLabel::free) slots.push_back(static_cast<std::uint32_t>(slot));
  return slots;
}

}  // namespace axelram
