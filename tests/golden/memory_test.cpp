#include "axelram/memory.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "axelram/datapath.hpp"
#include "check.hpp"
#include "golden/memory_example.hpp"

using namespace axelram;
namespace example = memory_example;

namespace {

std::string hexadecimal(const std::uint8_t* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

std::vector<std::uint8_t> record_of(MemoryRecords* records, char name) {
  std::vector<std::uint8_t> record(records->stored_bytes());
  REQUIRE(records->write(true, example::row(name).data(), 0, record.data()));
  return record;
}

double cosine(const RecordWords& words, const std::vector<std::uint8_t>& a,
              const std::vector<std::uint8_t>& b) {
  return similarity_ref(words, a.data(), b.data()) * 65536.0 / record_root_ref(words, a.data()) /
         record_root_ref(words, b.data());
}

}  // namespace

TEST_CASE("the example of the contract: every event, label and number of 14 tokens") {
  MemoryRecords records(example::head());
  MemoryState state = empty_memory(records);
  for (const example::Token& token : example::tokens()) {
    CASE(token.row, token.gate, state.tokens);
    const example::Row row = example::row(token.row);
    MemoryEvent event;
    REQUIRE(memory_ref(&records, &state, {row.data(), row.data(), example::logit(token.gate)},
                       &event) == MemoryStatus::stored);
    CHECK_SAME(event.words(), token.event);
    CHECK(example::labels(state) == token.labels);
    const std::vector<std::uint32_t> slots = visible_slots(state);
    REQUIRE(slots.size() == token.slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      CASE(i);
      CHECK(state.positions[slots[i]] == token.slots[i].position);
      CHECK(state.stamps[slots[i]] == token.slots[i].stamp);
      CHECK(state.merged[slots[i]] == token.slots[i].merged);
    }
  }

  // bit-contract.md#example-memory: the master and the value record of slot 2.
  const std::vector<double> first = {-14.8515625, -0.90576171875, -6.9140625, 13.9140625};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK_AT(i, half_to_double(state.masters[2 * 32 + i]) == first[i]);
  const std::vector<std::uint16_t> bits = {0xcb6d, 0xbb3f, 0xc6ea, 0x4af5};
  for (std::size_t i = 0; i < 4; ++i) CHECK_AT(i, state.masters[2 * 32 + i] == bits[i]);
  CHECK(hexadecimal(&state.value_records[2 * 14], 14) == "122514925c816ba6f49548899351");
}

TEST_CASE("the example of the contract: roots, cosines and thresholds") {
  MemoryRecords records(example::head());
  const RecordWords words = records.words();
  const auto a = record_of(&records, 'A'), c = record_of(&records, 'C'),
             m = record_of(&records, 'M'), n = record_of(&records, 'N'),
             z = record_of(&records, 'Z');
  CHECK(record_root_ref(words, a.data()) == 63343);
  CHECK(record_root_ref(words, c.data()) == 59268);
  CHECK(record_root_ref(words, m.data()) == 61679);
  CHECK(record_root_ref(words, z.data()) == 127438);
  CHECK(cosine(words, m, a) == doctest::Approx(0.910).epsilon(0.0005));
  CHECK(cosine(words, m, n) == doctest::Approx(0.801).epsilon(0.0005));
  CHECK(cosine(words, n, a) == doctest::Approx(0.589).epsilon(0.0005));
  CHECK(cosine(words, c, n) == doctest::Approx(0.012).epsilon(0.04));
  for (const auto* other : {&a, &c, &m, &n, &z}) {
    CASE(other);
    CHECK(similarity_ref(words, z.data(), other->data()) == 0);
    CHECK(similarity_ref(words, other->data(), z.data()) == 0);
  }
  CHECK(records.head().memory.novel == 44290);
  CHECK(records.head().memory.match == 56945);
}

TEST_CASE("the example of the contract: a query of row M") {
  const MemoryHead head = example::head();
  MemoryRecords records(head);
  MemoryState state = empty_memory(records);
  for (const example::Token& token : example::tokens()) {
    const example::Row row = example::row(token.row);
    MemoryEvent event;
    memory_ref(&records, &state, {row.data(), row.data(), example::logit(token.gate)}, &event);
  }
  Datapath path(head.parameters, head.rom, head.signs, {});
  QueryResult query;
  REQUIRE(path.round(example::row('M').data(), &query));
  std::vector<float> scores(7);
  std::vector<std::int64_t> acc(7);
  REQUIRE(visible_slots(state).size() == 7);
  path.score(query, state.key_records.data(), 7, scores.data(), acc.data());
  CHECK_SAME(acc, std::vector<std::int64_t>{42240, -3208, 42940, -3208, 42240, 42240, 55693});
  CHECK_SAME(scores,
             std::vector<float>{0, -76139.875F, 2440870.5F, -76139.875F, 0, 0, 1010305.8125F});
}
