#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/gate.hpp"
#include "axelram/half.hpp"
#include "axelram/memory.hpp"
#include "check.hpp"
#include "golden/memory_example.hpp"

namespace memory_test {

/// A memory of d = 64 whose values have one element: two of one channel have cosine exactly 1 or,
/// with other signs, -1, and two of different channels exactly 0.
class OneHots {
 public:
  template <class Change>
  explicit OneHots(Change change) : records_(head(change)), state_(empty_memory(records_)) {}

  template <class Change>
  static axelram::MemoryHead head(Change change) {
    axelram::MemoryHead head;
    head.parameters.head_dim = 64;
    axelram::MemoryOptions options;
    options.window = 1;
    options.exact = 2;
    options.summary = 2;
    options.gate_exact = options.gate_summary = 0;
    change(options);
    head.memory = memory_parameters(options, head.parameters);
    head.rom = std::make_shared<const axelram::CodebookRom>(codebook_rom(head.parameters));
    head.signs.assign(64, 1);
    return head;
  }

  static std::vector<std::uint16_t> row(int channel, double size = 1) {
    std::vector<std::uint16_t> x(64, 0);
    x[static_cast<std::size_t>(channel)] = axelram::double_to_half(size);
    return x;
  }

  static float logit(int gate) {
    return gate == 0 ? -100.0F : axelram::gate_boundaries()[static_cast<std::size_t>(gate - 1)];
  }

  axelram::MemoryEvent feed(int channel, int gate = 200, double size = 1) {
    const std::vector<std::uint16_t> value = row(channel, size);
    axelram::MemoryEvent event;
    REQUIRE(memory_ref(&records_, &state_, {value.data(), value.data(), logit(gate)}, &event) ==
            axelram::MemoryStatus::stored);
    REQUIRE(state_.gates[static_cast<std::size_t>(event.written)] == gate);
    return event;
  }

  std::string labels() const { return memory_example::labels(state_); }
  double master(int slot, int channel) const {
    return axelram::half_to_double(state_.masters[static_cast<std::size_t>(64 * slot + channel)]);
  }

  axelram::MemoryRecords& records() { return records_; }
  axelram::MemoryState& state() { return state_; }

 private:
  axelram::MemoryRecords records_;
  axelram::MemoryState state_;
};

}  // namespace memory_test
