#include "axelram/memory_state.hpp"

#include <stdexcept>
#include <string>

#include "axelram/fast_memory.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/memory_example.hpp"
#include "golden/memory_inputs.hpp"

using namespace axelram;
namespace example = memory_example;

namespace {

/// The state after the tokens of the example: swmxxmw, 14 tokens.
MemoryState example_state(MemoryRecords* records) {
  MemoryState state = empty_memory(*records);
  MemoryEvent event;
  for (const example::Token& token : example::tokens()) {
    const example::Row row = example::row(token.row);
    memory_ref(records, &state, {row.data(), row.data(), example::logit(token.gate)}, &event);
  }
  return state;
}

}  // namespace

TEST_CASE("states that tokens leave are valid, and others are rejected by name") {
  memory_test::Random random(2601);
  for (const MemoryStore store : {MemoryStore::records, MemoryStore::fp16, MemoryStore::f32})
    for (int trial = 0; trial < 10; ++trial) {
      CASE(store, trial);
      MemoryRecords records(memory_test::random_head(random, store));
      MemoryState state = empty_memory(records);
      memory_test::Tokens tokens(random, records.head().parameters.head_dim);
      MemoryEvent event;
      for (int t = 0; t < 60; ++t) {
        CASE(t);
        CHECK_NOTHROW(check_memory_state(records, state));
        memory_ref(&records, &state, tokens.next().view(), &event);
      }
    }

  MemoryRecords records(example::head());
  const MemoryState valid = example_state(&records);
  BoundedMemory fast(example::head());
  fast.load(valid);
  const auto check = [&](const std::string& message, auto change) {
    MemoryState state = valid;
    change(state);
    CHECK_THROWS_WITH_AS(check_memory_state(records, state), message.c_str(),
                         std::invalid_argument);
    CHECK_THROWS_AS(fast.load(state), std::invalid_argument);
    CHECK_SAME(fast.state(), valid);
  };
  using M = MemoryState;
  check("the memory: its arrays have other sizes; 7 slots of the configured store are needed",
        [](M& m) { m.gates.push_back(0); });
  check("the memory: tokens is -1; 0 to 2147483648 are valid", [](M& m) { m.tokens = -1; });
  check("slot 3: label 7; 0 to 4 are labels", [](M& m) { m.labels[3] = SlotLabel{7}; });
  check("the memory: 1 slots are window; 2 are valid after these tokens",
        [](M& m) { m.labels[1] = SlotLabel::free; });
  check("the memory: 0 slots are sink; 1 are valid after these tokens",
        [](M& m) { m.labels[0] = SlotLabel::exact; });
  check("the memory: 3 slots are exact; 0 to 2 are valid after these tokens",
        [](M& m) { m.labels[2] = SlotLabel::exact; });
  check("the memory: 3 slots are summary; 0 to 2 are valid after these tokens",
        [](M& m) { m.labels[3] = SlotLabel::summary; });
  check("slot 5: it is free, but not 0; gate, position, stamp and merged must be 0",
        [](M& m) { m.labels[5] = SlotLabel::free; });
  check("slot 1: position 11; with its label it lies in 12..13 after 14 tokens",
        [](M& m) { m.positions[1] = m.stamps[1] = 11; });
  check("slot 3: position 12; with its label it lies in 1..11 after 14 tokens",
        [](M& m) { m.positions[3] = m.stamps[3] = 12; });
  check("slot 0: position 1; with its label it lies in 0..0 after 14 tokens",
        [](M& m) { m.positions[0] = m.stamps[0] = 1; });
  check("slot 3: stamp 14; it lies between its position and the last token",
        [](M& m) { m.stamps[3] = 14; });
  check("slot 6: stamp 13; with its label it is the position", [](M& m) { m.stamps[6] = 13; });
  check("slot 3: merged 2; with its label it is 1", [](M& m) { m.merged[3] = 2; });
  check("slot 2: merged 0; it is at least 1", [](M& m) { m.merged[2] = 0; });
  check("slot 3: a row that its label does not have is not 0; it must be 0",
        [](M& m) { m.masters[3 * 32] = 1; });
  check("slot 2: an element is not finite; NaN and infinity are not valid",
        [](M& m) { m.masters[2 * 32] = 0x7C00; });
  check("the memory: two slots have position 7; a token is in one slot",
        [](M& m) { m.positions[3] = m.stamps[3] = 7; });
}
