#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "golden/memory_one_hot.hpp"

using namespace axelram;
using memory_test::OneHots;

TEST_CASE("a displaced token is summarised, not lost") {
  OneHots memory([](MemoryOptions& o) { o.exact = 1; });
  memory.feed(0);
  memory.feed(1);
  MemoryEvent event = memory.feed(2);
  CHECK(event.evicted == Evicted::displaced);
  CHECK(event.against == 0);
  CHECK(event.leaver == Leaver::spawned);
  CHECK(event.summary == 0);
  CHECK(memory.labels() == "mxw.");
  CHECK(memory.state().positions[0] == 0);
}

TEST_CASE("a token that hits is summarised too") {
  OneHots memory([](MemoryOptions& o) { o.blend = 1; });
  memory.feed(0, 255);
  memory.feed(0, 255);
  MemoryEvent event = memory.feed(0, 255);
  CHECK(event.evicted == Evicted::hit);
  CHECK(event.leaver == Leaver::spawned);
  CHECK(event.summary == 1);
  event = memory.feed(1, 255);
  CHECK(event.evicted == Evicted::hit);
  CHECK(event.leaver == Leaver::merged);
  CHECK(memory.state().merged[static_cast<std::size_t>(event.summary)] == 2);
}

TEST_CASE("the gate of the leaver decides, not that of the token that displaced it") {
  // x has gate 30, e has 200.
  const auto displace = [](OneHots* memory) {
    memory->feed(0, 30);
    memory->feed(1, 200);
    return memory->feed(2, 200);
  };
  OneHots strict([](MemoryOptions& o) {
    o.exact = 1;
    o.gate_summary = 31 / 255.0;
  });
  CHECK(displace(&strict).leaver == Leaver::dropped);
  OneHots loose([](MemoryOptions& o) {
    o.exact = 1;
    o.gate_summary = 30 / 255.0;
  });
  CHECK(displace(&loose).leaver == Leaver::spawned);

  // The blend weighs with the gate of y = x as well, 100 / 255 of the way, and e has 200.
  OneHots blend([](MemoryOptions& o) {
    o.exact = o.summary = 1;
    o.blend = 1;
  });
  blend.feed(0, 30);
  blend.feed(1, 100);
  blend.feed(2, 200);
  CHECK(blend.labels() == "mxw");
  const MemoryEvent event = blend.feed(3, 200);
  CHECK(event.leaver == Leaver::merged);
  CHECK(blend.master(event.summary, 1) * 255 / 100 == doctest::Approx(1).epsilon(0.3));
}

TEST_CASE("of leaver and summary the later one stays, with its own key") {
  OneHots memory([](MemoryOptions& o) { o.exact = o.summary = 1; });
  memory.feed(0);
  memory.feed(1);
  memory.feed(0);  // token 1 displaces token 0, which is spawned in slot 0
  CHECK(memory.labels() == "mxw");
  const std::vector<std::uint8_t> key(&memory.state().key_records[2 * 26],
                                      &memory.state().key_records[3 * 26]);
  // Token 2 displaces token 1 (slot 1), which is later than the summary.
  MemoryEvent event = memory.feed(5);
  CHECK(event.evicted == Evicted::displaced);
  CHECK(event.summary == 1);
  CHECK(memory.state().positions[1] == 1);
  CHECK(memory.state().merged[1] == 2);
  CHECK(event.written == 0);  // the summary's slot became free
  CHECK_SAME(std::vector<std::uint8_t>(&memory.state().key_records[2 * 26],
                                       &memory.state().key_records[3 * 26]),
             key);
}

TEST_CASE("tokens merged saturate at 2^31 - 1") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 0;
    o.summary = 1;
  });
  memory.feed(0);
  memory.feed(0);
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  memory.state().merged[0] = kMost - 1;
  for (int t = 0; t < 3; ++t) {
    CASE(t);
    const MemoryEvent event = memory.feed(0);
    CHECK(memory.state().merged[static_cast<std::size_t>(event.summary)] == kMost);
  }
}

TEST_CASE("a master that saturates stays finite, and so does its record") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 0;
    o.summary = 1;
    o.blend = 1;
  });
  for (int t = 0; t < 12; ++t) {
    CASE(t);
    const MemoryEvent event = memory.feed(4, 255, t % 3 == 2 ? -65504 : 65504);
    for (const std::uint16_t m : memory.state().masters)
      CHECK_AT(m, is_finite(m, ElementFormat::fp16));
    if (event.leaver == Leaver::merged) CHECK(std::abs(memory.master(event.summary, 4)) > 48000);
  }
}

TEST_CASE("a value that cannot be told from zero leaves +0 in a master") {
  OneHots memory([](MemoryOptions& o) { o.exact = 0; });
  memory.feed(4, 255, -0.0);
  memory.feed(4, 255, 0.0);
  CHECK(memory.labels() == "mw.");
  for (const std::uint16_t m : memory.state().masters) CHECK_AT(m, m == 0);
}

TEST_CASE("with FP16 rows the value of a summary is its master, and the value itself enters") {
  OneHots memory([](MemoryOptions& o) {
    o.exact = 0;
    o.summary = 1;
    o.blend = 0.5;
    o.store = MemoryStore::fp16;
  });
  memory.feed(0, 255, 3);
  memory.feed(0, 255, 5);
  CHECK(half_to_double(memory.state().values[0]) == 3);
  const MemoryEvent event = memory.feed(1, 255);
  REQUIRE(event.leaver == Leaver::merged);
  const double eta = 128 * 255 / 65025.0;
  CHECK(half_to_double(memory.state().values[static_cast<std::size_t>(64 * event.summary)]) ==
        doctest::Approx(3 + eta * 2).epsilon(0.0005));
  CHECK(memory.state().masters.empty());
  CHECK(memory.state().key_records.empty());
}

TEST_CASE("a banded summary blends the slower half of the pairs of its keys") {
  for (const bool interleaved : {false, true})
    for (const MemoryStore store : {MemoryStore::fp16, MemoryStore::f32}) {
      CASE(interleaved, store);
      MemoryHead head = OneHots::head([&](MemoryOptions& o) {
        o.exact = 0;
        o.summary = 1;
        o.blend = 0.5;
        o.store = store;
        o.summary_key = SummaryKey::band;
      });
      head.interleaved_pairs = interleaved;
      MemoryRecords records(head);
      MemoryState state = empty_memory(records);
      const std::vector<std::uint16_t> value = OneHots::row(0);
      const std::vector<float> wide_value(64, 0.5F);
      const auto key_of = [](int t, std::size_t c) {
        return 0.25F * static_cast<float>(c) + 2.0F * static_cast<float>(t);
      };
      MemoryEvent event;
      for (int t = 0; t < 3; ++t) {
        std::vector<std::uint16_t> key;
        std::vector<float> wide;
        for (std::size_t c = 0; c < 64; ++c) {
          wide.push_back(key_of(t, c));
          key.push_back(double_to_half(double{wide.back()}));
        }
        memory_ref(&records, &state, {key.data(), value.data(), 16, wide.data(), wide_value.data()},
                   &event);
      }
      REQUIRE(event.leaver == Leaver::merged);
      const auto root = static_cast<float>(std::sqrt(2.0));
      const auto eta = static_cast<float>(128 * 255 / 65025.0);
      for (std::size_t c = 0; c < 64; ++c) {
        CASE(c);
        const std::size_t pair = interleaved ? c / 2 : c % 32;
        const bool wide = store == MemoryStore::f32;
        float first = root * key_of(0, c);
        if (!wide) first = static_cast<float>(half_to_double(double_to_half(double{first})));
        const float blended = first + eta * (root * key_of(1, c) - first);
        const double expected = pair < 16 ? 0
                                : wide    ? double{blended}
                                          : half_to_double(double_to_half(double{blended}));
        const std::size_t at = static_cast<std::size_t>(64 * event.summary) + c;
        CHECK((wide ? double{state.wide_keys[at]} : half_to_double(state.keys[at])) == expected);
      }
    }
}
