#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/memory_inputs.hpp"
#include "golden/memory_oracle.hpp"

using namespace axelram;

TEST_CASE("a memory equals one that was written in other words, after every token") {
  memory_test::Random random(2301);
  for (int trial = 0; trial < 60; ++trial) {
    CASE(trial);
    const MemoryHead head = memory_test::random_head(random, MemoryStore::records);
    MemoryRecords records(head);
    MemoryState state = empty_memory(records);
    memory_oracle::Memory oracle(head);
    memory_test::Tokens tokens(random, head.parameters.head_dim);
    for (int t = 0; t < 150; ++t) {
      CASE(t);
      memory_test::Token token = tokens.next();
      token.gate +=
          0.001F;  // off the boundaries of codes, where the oracle's sigmoid is not certain
      MemoryEvent event;
      REQUIRE(memory_ref(&records, &state, token.view(), &event) == MemoryStatus::stored);
      REQUIRE_SAME(event.words(), oracle.take(token.key, token.value, token.gate));
      REQUIRE_SAME(oracle.state(), state);
    }
  }
}
