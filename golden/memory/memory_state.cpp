#include "axelram/memory_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/half.hpp"

namespace axelram {
namespace {

/// Checks one after the other; the first one that fails throws.
class StateCheck {
 public:
  StateCheck(const MemoryRecords& records, const MemoryState& state)
      : records_(records),
        rules_(records.head().memory),
        d_(static_cast<std::size_t>(records.head().parameters.head_dim)),
        state_(state) {}

  void run() const {
    check_sizes();
    if (state_.tokens < 0 || state_.tokens > records_.head().longest)
      fail("the memory", "tokens is " + std::to_string(state_.tokens),
           "0 to " + std::to_string(records_.head().longest) + " are valid");
    for (std::size_t slot = 0; slot < state_.slots(); ++slot) {
      const auto label = static_cast<int>(state_.labels[slot]);
      if (label < 0 || label > static_cast<int>(SlotLabel::summary))
        fail_at(slot, "label " + std::to_string(label), "0 to 4 are labels");
    }
    check_counts();
    for (std::size_t slot = 0; slot < state_.slots(); ++slot) {
      if (state_.labels[slot] == SlotLabel::free)
        check_free(slot);
      else
        check_used(slot);
      check_rows(slot);
    }
    check_distinct();
  }

 private:
  [[noreturn]] static void fail(const std::string& where, const std::string& what,
                                const std::string& right) {
    throw std::invalid_argument(where + ": " + what + "; " + right);
  }
  [[noreturn]] static void fail_at(std::size_t slot, const std::string& what,
                                   const std::string& right) {
    fail("slot " + std::to_string(slot), what, right);
  }

  void check_sizes() const {
    const auto sizes = [](const MemoryState& m) {
      return std::array<std::size_t, 12>{
          m.labels.size(), m.gates.size(),       m.positions.size(),     m.stamps.size(),
          m.merged.size(), m.key_records.size(), m.value_records.size(), m.masters.size(),
          m.keys.size(),   m.values.size(),      m.wide_keys.size(),     m.wide_values.size()};
    };
    if (sizes(state_) != sizes(empty_memory(records_, true)) &&
        sizes(state_) != sizes(empty_memory(records_, false)))
      fail("the memory", "its arrays have other sizes",
           std::to_string(rules_.slots()) + " slots of the configured store are needed");
  }

  std::int64_t count(SlotLabel label) const {
    return std::count(state_.labels.begin(), state_.labels.end(), label);
  }

  void check_counts() const {
    const std::int64_t window = std::min<std::int64_t>(rules_.window, state_.tokens);
    const std::int64_t sinks = std::min<std::int64_t>(rules_.sinks, state_.tokens - window);
    check_count("window", count(SlotLabel::window), window, window);
    check_count("sink", count(SlotLabel::sink), sinks, sinks);
    check_count("exact", count(SlotLabel::exact), 0, rules_.bank());
    check_count("summary", count(SlotLabel::summary), 0, rules_.summary);
  }

  static void check_count(const char* label, std::int64_t slots, std::int64_t low,
                          std::int64_t high) {
    if (slots < low || slots > high)
      fail("the memory", std::to_string(slots) + " slots are " + label,
           (low == high ? "" : std::to_string(low) + " to ") + std::to_string(high) +
               " are valid after these tokens");
  }

  void check_free(std::size_t slot) const {
    if (state_.gates[slot] != 0 || state_.positions[slot] != 0 || state_.stamps[slot] != 0 ||
        state_.merged[slot] != 0)
      fail_at(slot, "it is free, but not 0", "gate, position, stamp and merged must be 0");
  }

  void check_used(std::size_t slot) const {
    const SlotLabel label = state_.labels[slot];
    const std::int64_t position = state_.positions[slot], stamp = state_.stamps[slot];
    const std::int64_t first_of_window =
        state_.tokens - std::min<std::int64_t>(rules_.window, state_.tokens);
    const bool in_window = label == SlotLabel::window;
    const std::int64_t low = in_window                  ? first_of_window
                             : label == SlotLabel::sink ? 0
                                                        : rules_.sinks;
    const std::int64_t high = in_window                  ? state_.tokens
                              : label == SlotLabel::sink ? rules_.sinks
                                                         : first_of_window;
    if (position < low || position >= high)
      fail_at(slot, "position " + std::to_string(position),
              "with its label it lies in " + std::to_string(low) + ".." + std::to_string(high - 1) +
                  " after " + std::to_string(state_.tokens) + " tokens");
    const bool fixed = in_window || label == SlotLabel::sink;
    if (stamp < position || stamp >= state_.tokens || (fixed && stamp != position))
      fail_at(slot, "stamp " + std::to_string(stamp),
              fixed ? "with its label it is the position"
                    : "it lies between its position and the last token");
    const std::int32_t merged = state_.merged[slot];
    if (merged < 1 || (label != SlotLabel::summary && merged != 1))
      fail_at(slot, "merged " + std::to_string(merged),
              label == SlotLabel::summary ? "it is at least 1" : "with its label it is 1");
  }

  void check_rows(std::size_t slot) const {
    const bool used = state_.labels[slot] != SlotLabel::free;
    check_zero(slot, used, state_.key_records, records_.stored_bytes());
    check_zero(slot, used, state_.value_records, records_.stored_bytes());
    check_zero(slot, state_.labels[slot] == SlotLabel::summary, state_.masters, d_);
    for (const auto* rows : {&state_.keys, &state_.values}) check_zero(slot, used, *rows, d_);
    for (const auto* rows : {&state_.wide_keys, &state_.wide_values})
      check_zero(slot, used, *rows, d_);
    for (const auto* rows : {&state_.masters, &state_.keys, &state_.values})
      check_finite(slot, *rows, [](std::uint16_t x) { return is_finite(x, ElementFormat::fp16); });
    for (const auto* rows : {&state_.wide_keys, &state_.wide_values})
      check_finite(slot, *rows, [](float x) { return std::isfinite(x); });
  }

  template <class T>
  void check_zero(std::size_t slot, bool used, const std::vector<T>& rows,
                  std::size_t width) const {
    if (used || rows.empty()) return;
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(slot * width);
    if (!std::all_of(row, row + static_cast<std::ptrdiff_t>(width), [](T x) { return x == T{}; }))
      fail_at(slot, "a row that its label does not have is not 0", "it must be 0");
  }

  template <class T, class Finite>
  void check_finite(std::size_t slot, const std::vector<T>& rows, Finite finite) const {
    if (rows.empty()) return;
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(slot * d_);
    if (!std::all_of(row, row + static_cast<std::ptrdiff_t>(d_), finite))
      fail_at(slot, "an element is not finite", "NaN and infinity are not valid");
  }

  void check_distinct() const {
    std::vector<std::int32_t> positions;
    for (std::size_t slot = 0; slot < state_.slots(); ++slot)
      if (state_.labels[slot] != SlotLabel::free) positions.push_back(state_.positions[slot]);
    std::sort(positions.begin(), positions.end());
    const auto twice = std::adjacent_find(positions.begin(), positions.end());
    if (twice != positions.end())
      fail("the memory", "two slots have position " + std::to_string(*twice),
           "a token is in one slot");
  }

  const MemoryRecords& records_;
  const MemoryParameters& rules_;
  std::size_t d_;
  const MemoryState& state_;
};

}  // namespace

void check_memory_state(const MemoryRecords& records, const MemoryState& state) {
  StateCheck(records, state).run();
}

}  // namespace axelram
