#include <limits>
#include <vector>

#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/memory_one_hot.hpp"

using namespace axelram;
using memory_test::OneHots;

TEST_CASE("a memory within its window holds tokens in order and evicts nothing") {
  OneHots memory([](MemoryOptions& o) { o.window = 4; });
  for (int t = 0; t < 4; ++t) {
    CASE(t);
    const MemoryEvent event = memory.feed(t);
    CHECK(event.evicted == Evicted::nothing);
    CHECK(event.written == t);
  }
  CHECK(memory.labels() == "wwww....");
}

TEST_CASE("a memory of one slot forgets every token") {
  OneHots memory([](MemoryOptions& o) { o.exact = o.summary = 0; });
  for (int t = 0; t < 5; ++t) {
    CASE(t);
    const MemoryEvent event = memory.feed(3);
    CHECK(event.evicted == (t == 0 ? Evicted::nothing : Evicted::no_bank));
    CHECK(event.leaver == (t == 0 ? Leaver::none : Leaver::dropped));
    CHECK(event.written == 0);
    CHECK(memory.labels() == "w");
    CHECK(memory.state().positions[0] == t);
  }
}

TEST_CASE("a bank that only sinks fill is no bank") {
  OneHots memory([](MemoryOptions& o) { o.sinks = o.exact; });
  for (int t = 0; t < 3; ++t) {
    CASE(t);
    memory.feed(t, 0);
  }  // whatever their gates
  CHECK(memory.labels() == "ssw..");
  CHECK(memory.feed(3).evicted == Evicted::no_bank);
  CHECK(memory.labels() == "ssmw.");
}

TEST_CASE("a sink is neither compared nor displaced") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 3;
    o.sinks = 1;
  });
  memory.feed(0, 1);
  memory.feed(0);
  memory.feed(1);
  // Token 1 has the sink's value; it is novel, since sinks are not `exact`.
  CHECK(memory.labels().substr(0, 3) == "sxw");
  for (int t = 0; t < 20; ++t) {
    CASE(t);
    const MemoryEvent event = memory.feed(2 + t);
    CHECK(event.against != 0);
    CHECK(memory.labels()[0] == 's');
  }
  CHECK(memory.state().positions[0] == 0);
}

TEST_CASE("the victim has the least gate, then the least stamp, then the lowest slot") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 3;
    o.summary = 0;
  });
  memory.feed(0, 90);
  memory.feed(1, 50);
  memory.feed(2, 90);
  memory.feed(3, 70);
  CHECK(memory.labels() == "xxxw");
  MemoryEvent event = memory.feed(4, 90);  // token 3 is against the slot of gate 50
  CHECK(event.evicted == Evicted::displaced);
  CHECK(event.against == 1);
  event = memory.feed(5, 90);
  CHECK(event.against == 3);  // its gate is 70
  event = memory.feed(6, 90);
  CHECK(event.against == 0);  // equal gates: the oldest stamp
  // Equal stamps come from outside alone.
  for (std::size_t slot = 0; slot < 4; ++slot)
    if (memory.state().labels[slot] == SlotLabel::exact) memory.state().stamps[slot] = 3;
  const std::size_t lowest = memory.labels().find('x');
  CHECK(memory.feed(7, 90).against == static_cast<int>(lowest));
}

TEST_CASE("a newcomer of less gate does not displace; one of equal gate does") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 1;
    o.summary = 0;
  });
  memory.feed(0, 60);
  memory.feed(1, 59);
  MemoryEvent event = memory.feed(2, 60);
  CHECK(event.evicted == Evicted::kept);
  CHECK(event.against == 0);
  event = memory.feed(3, 0);
  CHECK(event.evicted == Evicted::displaced);
  CHECK(event.against == 0);
}

TEST_CASE("a needle whose gate alone is open keeps its row, however long the text") {
  // It is the row that was stored, so that its cosine with itself is 1: nothing was asked for.
  OneHots memory([](MemoryOptions& o) {
    o.gate_exact = o.gate_summary = 0.1;
    o.store = MemoryStore::fp16;
  });
  memory.feed(5, 255, 0.3);
  for (int t = 0; t < 2000; ++t) {
    CASE(t);
    memory.feed(6 + t % 50, 0);
  }
  REQUIRE(memory.labels()[0] == 'x');
  CHECK(memory.state().positions[0] == 0);
  const std::vector<std::uint16_t> row = OneHots::row(5, 0.3);
  CHECK_SAME(row, std::span(memory.state().keys).first(row.size()));
}

TEST_CASE("with lru gates do not keep anything, and a hit refreshes the stamp") {
  OneHots memory([](MemoryOptions& o) {
    o.evict = EvictKind::lru;
    o.summary = 0;
  });
  memory.feed(0, 255);
  memory.feed(1, 200);
  memory.feed(0, 10);
  CHECK(memory.labels() == "xxw");
  CHECK(memory.feed(2, 1).evicted == Evicted::hit);
  CHECK(memory.state().stamps[0] == 2);  // of the token that hit
  CHECK(memory.state().positions[0] == 0);
  const MemoryEvent event = memory.feed(3, 1);
  CHECK(event.evicted == Evicted::displaced);
  CHECK(event.against == 1);
}

TEST_CASE("between two thresholds a token refreshes nothing") {
  OneHots memory([](MemoryOptions& o) { o.summary = 0; });
  // Cosine of the two below lies between 0.70 and 0.90.
  std::vector<std::uint16_t> near = OneHots::row(0);
  near[1] = double_to_half(0.75);
  memory.feed(0);
  MemoryEvent event;
  REQUIRE(memory_ref(&memory.records(), &memory.state(), {near.data(), near.data(), 2}, &event) ==
          MemoryStatus::stored);
  event = memory.feed(5);
  CHECK(event.evicted == Evicted::between);
  CHECK(event.against == 0);
  CHECK(event.leaver == Leaver::dropped);
  CHECK(memory.state().stamps[0] == 0);
}

TEST_CASE("a cosine exactly on a threshold of a memory reaches it") {
  struct Case {
    std::uint32_t novel, match;
    Evicted evicted;
  };
  // The cosine is 65536 / 65536.
  for (const Case& of :
       {Case{100, 65536, Evicted::hit}, Case{65536, 65536, Evicted::hit},
        Case{65536, 65537, Evicted::between}, Case{65537, 65537, Evicted::admitted}}) {
    CASE(of.novel, of.match);
    MemoryHead head = OneHots::head([](MemoryOptions&) {});
    head.memory.novel = of.novel;
    head.memory.match = of.match;
    MemoryRecords records(head);
    MemoryState state = empty_memory(records);
    const std::vector<std::uint16_t> row = OneHots::row(7);
    MemoryEvent event;
    for (int t = 0; t < 3; ++t) memory_ref(&records, &state, {row.data(), row.data(), 2}, &event);
    CHECK(event.evicted == of.evicted);
  }
}

TEST_CASE("novel 2: equal values are novel, and a summary of its own while there is room") {
  OneHots memory([](MemoryOptions& o) { o.novel = 2; });
  for (int t = 0; t < 3; ++t) {
    CASE(t);
    memory.feed(0);
  }
  CHECK(memory.labels().substr(0, 3) == "xxw");
  CHECK(memory.feed(0).leaver == Leaver::spawned);
  CHECK(memory.feed(0).leaver == Leaver::spawned);
  CHECK(memory.feed(0).leaver == Leaver::merged);
}

TEST_CASE("a gate on the code of a threshold passes it") {
  for (const int code : {0, 1, 13, 26, 255}) {
    CASE(code);
    MemoryHead head = OneHots::head([](MemoryOptions&) {});
    head.memory.gate_exact = code;
    head.memory.gate_summary = code;
    for (const int gate : {code - 1, code}) {
      CASE(gate);
      if (gate < 0) continue;
      MemoryRecords records(head);
      MemoryState state = empty_memory(records);
      MemoryEvent event;
      for (int t = 0; t < 2; ++t) {
        const std::vector<std::uint16_t> row = OneHots::row(t);
        memory_ref(&records, &state, {row.data(), row.data(), OneHots::logit(gate)}, &event);
      }
      CHECK(event.evicted == (gate < code ? Evicted::gated_out : Evicted::admitted));
      CHECK(event.leaver == (gate < code ? Leaver::dropped : Leaver::none));
    }
  }
}

TEST_CASE("of zero values each is novel, and the lowest slot is the nearest") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 2;
    o.summary = 2;
  });
  memory.feed(0, 200, 0);
  memory.feed(0, 200, 0);
  MemoryEvent event = memory.feed(0, 200, 0);
  CHECK(event.evicted == Evicted::admitted);
  CHECK(event.against == 0);
  event = memory.feed(0, 200, 0);
  CHECK(event.evicted == Evicted::displaced);
  CHECK(event.leaver == Leaver::spawned);
  for (int t = 0; t < 8; ++t) {
    CASE(t);
    event = memory.feed(0, 200, 0);
  }
  CHECK(event.leaver == Leaver::merged);
  for (const std::uint16_t m : memory.state().masters) CHECK_AT(m, m == 0);
}

TEST_CASE("a token that is not finite, or too late, changes nothing") {
  OneHots memory([](MemoryOptions&) {});
  for (int t = 0; t < 6; ++t) {
    CASE(t);
    memory.feed(t % 3);
  }
  const MemoryState before = memory.state();
  const MemoryEvent none;
  const std::vector<std::uint16_t> good = OneHots::row(0);
  for (const int bad_element : {0x7C00, 0xFC00, 0x7E00, 0xFC01}) {
    CASE(bad_element);
    std::vector<std::uint16_t> bad = good;
    bad[63] = static_cast<std::uint16_t>(bad_element);
    MemoryEvent event;
    CHECK(memory_ref(&memory.records(), &memory.state(), {bad.data(), good.data(), 0}, &event) ==
          MemoryStatus::rejected_nonfinite);
    CHECK(memory_ref(&memory.records(), &memory.state(), {good.data(), bad.data(), 0}, &event) ==
          MemoryStatus::rejected_nonfinite);
    CHECK_SAME(event, none);
  }
  for (const float z :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    CASE(z);
    MemoryEvent event;
    CHECK(memory_ref(&memory.records(), &memory.state(), {good.data(), good.data(), z}, &event) ==
          MemoryStatus::rejected_nonfinite);
  }
  CHECK_SAME(memory.state(), before);
  MemoryHead head = OneHots::head([](MemoryOptions&) {});
  head.longest = 6;
  MemoryRecords records(head);
  MemoryState state = before;
  MemoryEvent event;
  CHECK(memory_ref(&records, &state, {good.data(), good.data(), 0}, &event) ==
        MemoryStatus::rejected_full);
  CHECK_SAME(state, before);
}
