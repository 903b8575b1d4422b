#include "axelram/fast.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "axelram/fast_memory.hpp"
#include "axelram/memory_rows.hpp"
#include "axelram/memory_state.hpp"
#include "axelram/memory_steps.hpp"
#include "simd/float_environment.hpp"
#include "slot_sets.hpp"

namespace axelram {
namespace {

std::size_t index(int slot) { return static_cast<std::size_t>(slot); }

}  // namespace

/// The slots of a memory for MemorySteps.
class BoundedMemory::Slots {
 public:
  Slots(const MemoryHead& head, bool keys, SimdLevel level)
      : records_(head, fast_units()),
        state_(empty_memory(records_, keys)),
        by_gate_(head.memory.evict == EvictKind::gate),
        window_(index(head.memory.window)),
        exact_(bank(head.memory.bank(), level)),
        summary_(bank(head.memory.summary, level)),
        free_(state_.slots()),
        roots_(state_.slots()),
        coded_(head.protection.code != "none"),
        decoded_(coded_ ? state_.slots() * records_.record_bytes() : 0),
        key_(records_.stored_bytes()),
        value_(records_.stored_bytes()) {
    rebuild();
  }

  MemoryStatus write(const MemoryToken& token, MemoryEvent* event) {
    const DefaultFloatEnvironment environment;
    const MemoryStatus status = receive_token(&records_, state_, token, key_.data(), value_.data());
    if (status == MemoryStatus::stored)
      *event = MemorySteps<Slots>(this).take(token, gate_code(token.gate));
    return status;
  }

  void load(MemoryState state) {
    check_memory_state(records_, state);
    if (state.key_records.size() + state.keys.size() + state.wide_keys.size() !=
        state_.key_records.size() + state_.keys.size() + state_.wide_keys.size())
      throw std::invalid_argument(
          "the memory: only one of two has keys; both or none must have them");
    state_ = std::move(state);
    rebuild();
  }

  MemoryRecords& records() { return records_; }
  MemoryState& state() { return state_; }

  int oldest() const { return window_.front(); }
  std::size_t count(SlotLabel label) const {
    return label == SlotLabel::window ? window_.size() : bank_of(label).size();
  }

  Nearest nearest(int slot, SlotLabel among) {
    if (bank_of(among).size() == 0) return {};
    if (slot != prepared_) prepare_record(records_.words(), record(slot), &query_);
    prepared_ = slot;
    return bank_of(among).nearest(query_);
  }

  std::uint32_t root(int slot) const { return roots_[index(slot)]; }

  int least_used() const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::int32_t slot : exact_.slots()) {
      const std::uint64_t gate = by_gate_ ? state_.gates[index(slot)] : 0;
      const auto stamp = static_cast<std::uint64_t>(state_.stamps[index(slot)]);
      least = std::min(least, gate << 48 | stamp << 16 | static_cast<std::uint64_t>(slot));
    }
    return static_cast<int>(least & 0xFFFF);
  }

  int lowest_free() const { return free_.lowest(); }

  void relabel(int slot, SlotLabel label) {
    leave(slot);
    state_.labels[index(slot)] = label;
    if (label == SlotLabel::exact) exact_.put(slot, record(slot), root(slot));
  }

  void free(int slot) {
    leave(slot);
    free_slot(records_, &state_, slot);
    free_.set(index(slot));
  }

  void spawn(int y) {
    leave(y);
    spawn_summary(&records_, &state_, y);
    summary_.put(y, record(y), root(y));
  }

  int merge(int y, int s) {
    leave(y);
    leave(s);
    const int stays = merge_summary(&records_, &state_, y, s);
    free_.set(index(stays == y ? s : y));
    read_record(stays);
    summary_.put(stays, record(stays), root(stays));
    return stays;
  }

  void place(const MemoryToken& token, int gate, int slot) {
    place_token(records_, &state_, token, gate, key_.data(), value_.data(), slot);
    free_.reset(index(slot));
    window_.push(slot);
    read_record(slot);
  }

 private:
  SlotBank bank(int capacity, SimdLevel level) const {
    return {records_.words(), state_.slots(), index(capacity), level};
  }
  SlotBank& bank_of(SlotLabel label) { return label == SlotLabel::exact ? exact_ : summary_; }
  const SlotBank& bank_of(SlotLabel label) const {
    return label == SlotLabel::exact ? exact_ : summary_;
  }

  /// The value record of a slot as read.
  const std::uint8_t* record(int slot) const {
    if (coded_) return &decoded_[index(slot) * records_.record_bytes()];
    return &state_.value_records[index(slot) * records_.stored_bytes()];
  }

  /// Reads the value record of a slot that was written, and forms its N.
  void read_record(int slot) {
    const std::uint8_t* const read =
        records_.read(&state_.value_records[index(slot) * records_.stored_bytes()]);
    if (coded_)
      std::copy_n(read, records_.record_bytes(), &decoded_[index(slot) * records_.record_bytes()]);
    prepare_record(records_.words(), read, &query_);
    prepared_ = slot;
    roots_[index(slot)] = query_.root;
  }

  /// Takes a slot out of the queue or the bank of its label. Only the oldest leaves the window.
  void leave(int slot) {
    const SlotLabel label = state_.labels[index(slot)];
    if (label == SlotLabel::window) window_.pop();
    if (label == SlotLabel::exact) exact_.remove(slot);
    if (label == SlotLabel::summary) summary_.remove(slot);
  }

  /// Banks, queue and free slots of a state that was taken over.
  void rebuild() {
    window_ = SlotQueue(index(records_.head().memory.window));
    exact_.clear();
    summary_.clear();
    free_ = FreeSlots(state_.slots());
    std::vector<int> window;
    for (int slot = 0; slot < static_cast<int>(state_.slots()); ++slot) {
      const SlotLabel label = state_.labels[index(slot)];
      if (label == SlotLabel::free) {
        free_.set(index(slot));
        continue;
      }
      read_record(slot);
      if (label == SlotLabel::window) window.push_back(slot);
      if (label == SlotLabel::exact) exact_.put(slot, record(slot), root(slot));
      if (label == SlotLabel::summary) summary_.put(slot, record(slot), root(slot));
    }
    std::sort(window.begin(), window.end(), [&](int a, int b) {
      return state_.positions[index(a)] < state_.positions[index(b)];
    });
    for (const int slot : window) window_.push(slot);
    prepared_ = -1;
  }

  MemoryRecords records_;
  MemoryState state_;
  bool by_gate_;
  SlotQueue window_;
  SlotBank exact_, summary_;
  FreeSlots free_;
  std::vector<std::uint32_t> roots_;  ///< N
  bool coded_;
  std::vector<std::uint8_t> decoded_;  ///< value records as read; with a code
  RecordQuery query_;
  int prepared_ = -1;                      ///< slot whose record query_ has
  std::vector<std::uint8_t> key_, value_;  ///< of the token, as stored
};

BoundedMemory::BoundedMemory(const MemoryHead& head, bool keys, SimdLevel level)
    : slots_(std::make_unique<Slots>(head, keys, level)) {}
BoundedMemory::~BoundedMemory() = default;
BoundedMemory::BoundedMemory(BoundedMemory&&) noexcept = default;
BoundedMemory& BoundedMemory::operator=(BoundedMemory&&) noexcept = default;

MemoryStatus BoundedMemory::write(const MemoryToken& token, MemoryEvent* event) {
  return slots_->write(token, event);
}

const MemoryState& BoundedMemory::state() const { return slots_->state(); }

void BoundedMemory::load(MemoryState state) { slots_->load(std::move(state)); }

}  // namespace axelram
