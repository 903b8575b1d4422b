#include "axelram/fast_memory.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "axelram/fault.hpp"
#include "axelram/gate.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/fields.hpp"
#include "golden/float_mode.hpp"
#include "golden/memory_inputs.hpp"
#include "golden/memory_one_hot.hpp"

using namespace axelram;
using namespace memory_test;

namespace {

/// Feeds tokens, each of next(), to the reference and to the fast memory of each level.
template <class Next>
void compare(const MemoryHead& head, int count, const Next& next, std::set<int>* outcomes,
             std::set<int>* leavers) {
  MemoryRecords records(head);
  MemoryState state = empty_memory(records);
  std::vector<BoundedMemory> memories;
  for (const SimdLevel level : fast_test::levels()) memories.emplace_back(head, true, level);
  for (int t = 0; t < count; ++t) {
    CASE(t);
    const memory_test::Token token = next();
    MemoryEvent expected;
    REQUIRE(memory_ref(&records, &state, token.view(), &expected) == MemoryStatus::stored);
    outcomes->insert(static_cast<int>(expected.evicted));
    leavers->insert(static_cast<int>(expected.leaver));
    for (std::size_t i = 0; i < memories.size(); ++i) {
      CASE(fast_test::levels()[i]);
      MemoryEvent event;
      REQUIRE(memories[i].write(token.view(), &event) == MemoryStatus::stored);
      REQUIRE_SAME(event, expected);
      REQUIRE_SAME(memories[i].state(), state);
    }
    if (t == count / 2)
      for (BoundedMemory& memory : memories) memory.load(state);
  }
}

/// The same with random tokens.
void compare(const MemoryHead& head, Random& random, int count, std::set<int>* outcomes,
             std::set<int>* leavers) {
  memory_test::Tokens tokens(random, head.parameters.head_dim);
  const auto next = [&] { return tokens.next(); };
  compare(head, count, next, outcomes, leavers);
}

}  // namespace

TEST_CASE("a fast memory equals golden's after every token, on every level") {
  Random random(2201);
  std::set<int> outcomes, leavers;
  for (const MemoryStore store : {MemoryStore::records, MemoryStore::fp16, MemoryStore::f32})
    for (int trial = 0; trial < 40; ++trial) {
      CASE(store, trial);
      compare(memory_test::random_head(random, store), random, 150, &outcomes, &leavers);
    }
  CHECK(outcomes.size() == 9);
  CHECK(leavers.size() == 4);
}

TEST_CASE("a fast memory equals golden's if gates are equal and cosines lie on thresholds") {
  Random random(2206);
  std::set<int> outcomes, leavers;
  const auto one_of_few = [&](const std::vector<int>& gates) {
    const double size = memory_test::one_of(random, {1.0, -1.0, 0.5, 0.0});
    memory_test::Token token;
    token.key = token.value = memory_test::OneHots::row(between(random, 0, 5), size);
    const int gate = between(random, 0, static_cast<int>(gates.size()) - 1);
    token.gate = memory_test::OneHots::logit(gates[static_cast<std::size_t>(gate)]);
    return token;
  };
  const std::vector<std::vector<int>> all_gates = {{200}, {0}, {25, 26, 27}};
  // Cosines are 0 and ±1 exactly, 65536 of 65536.
  for (const std::uint32_t novel : {0U, 1U, 65535U, 65536U, 65537U})
    for (const std::uint32_t match : {65536U, 65537U})
      for (const EvictKind evict : {EvictKind::gate, EvictKind::lru}) {
        CASE(novel, match, evict);
        if (novel > match) continue;
        MemoryHead head = memory_test::OneHots::head([&](MemoryOptions& o) {
          o.exact = 3;
          o.evict = evict;
          o.gate_exact = o.gate_summary = 0.1;
        });
        head.memory.novel = novel;
        head.memory.match = match;
        for (const std::vector<int>& gates : all_gates) {
          CASE(gates);
          const auto next = [&] { return one_of_few(gates); };
          compare(head, 150, next, &outcomes, &leavers);
        }
      }
  CHECK(outcomes.size() == 7);  // all but those of sinks and of no bank
  CHECK(leavers.size() == 4);
}

TEST_CASE("a fast memory equals golden's with a code and bit errors") {
  Random random(2202);
  std::set<int> outcomes, leavers;
  for (const char* const code : {"none", "hamming74", "hamming84", "golay24"})
    for (const ErasurePolicy erasure : {ErasurePolicy::keep, ErasurePolicy::zero}) {
      CASE(code, erasure);
      MemoryHead head = memory_test::random_head(random, MemoryStore::records);
      head.protection.code = code;
      head.protection.erasure = erasure;
      const std::size_t bytes = MemoryRecords(head).stored_bytes();
      head.corrupt = [bytes](bool values, std::int32_t position, std::uint8_t* stored) {
        std::vector<std::uint8_t> mask(bytes);
        fault_mask_ref({7, static_cast<std::uint32_t>(position), values ? 1U : 0U, 0}, 8 * bytes,
                       std::uint64_t{1} << 25, mask.data());
        for (std::size_t i = 0; i < bytes; ++i) stored[i] ^= mask[i];
      };
      compare(head, random, 120, &outcomes, &leavers);
    }
}

TEST_CASE("a fast memory does not depend on the caller's modes") {
  Random random(2205);
  for (const MemoryStore store : {MemoryStore::records, MemoryStore::fp16, MemoryStore::f32})
    for (const unsigned mode : {0x9FC0U, 0x3F80U, 0x5F80U, 0x7F80U}) {
      CASE(store, mode);
      const MemoryHead head = memory_test::random_head(random, store);
      MemoryRecords records(head);
      MemoryState state = empty_memory(records);
      BoundedMemory memory(head);
      memory_test::Tokens tokens(random, head.parameters.head_dim);
      for (int t = 0; t < 80; ++t) {
        CASE(t);
        const memory_test::Token token = tokens.next();
        MemoryEvent expected, event;
        memory_ref(&records, &state, token.view(), &expected);
        run_in_mode(mode, [&] { memory.write(token.view(), &event); });
        REQUIRE_SAME(event, expected);
        REQUIRE_SAME(memory.state(), state);
      }
    }
}

TEST_CASE("a bank finds the nearest slot as golden does") {
  Random random(2203);
  for (int trial = 0; trial < 300; ++trial) {
    CASE(trial);
    const MemoryHead head = memory_test::random_head(random, MemoryStore::records);
    MemoryRecords records(head);
    const RecordWords words = records.words();
    memory_test::Tokens tokens(random, head.parameters.head_dim);
    const int count = between(random, 0, trial % 10 == 0 ? 600 : 40);
    std::vector<std::vector<std::uint8_t>> stored;
    std::vector<int> slots;
    std::vector<const std::uint8_t*> of_slots;
    const auto put = [&] {
      std::vector<std::uint8_t> record(records.record_bytes());
      records.write(true, tokens.next().value.data(), 0, record.data());
      if (between(random, 0, 30) == 0)  // a norm with a sign alone is zero too
        record[record.size() - 2] = 0, record[record.size() - 1] = 0x80;
      if (!stored.empty() && between(random, 0, 3) == 0) record = stored.back();
      return record;
    };
    for (int i = 0; i < count; ++i) stored.push_back(put());
    for (int i = 0; i < count; ++i) {
      slots.push_back(3 * i + 1);
      of_slots.push_back(stored[static_cast<std::size_t>(i)].data());
    }
    const std::vector<std::uint8_t> record = put();
    RecordQuery query;
    prepare_record(words, record.data(), &query);
    CHECK(query.root == record_root_ref(words, record.data()));
    const Nearest expected =
        nearest_ref(words, record.data(), slots.data(), of_slots.data(), slots.size());
    std::vector<std::size_t> order(slots.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (const SimdLevel level : fast_test::levels()) {
      CASE(level);
      std::shuffle(order.begin(), order.end(), random);
      SlotBank bank(words, 2000, slots.size() + 5, level);
      for (int extra = 0; extra < 5; ++extra) bank.put(1900 + extra, record.data(), query.root);
      for (const std::size_t i : order)
        bank.put(slots[i], of_slots[i], record_root_ref(words, of_slots[i]));
      for (int extra = 0; extra < 5; ++extra) bank.remove(1900 + extra);
      REQUIRE_SAME(bank.nearest(query), expected);
    }
  }
}

TEST_CASE("fast masters and rows read back equal golden's, whatever the caller's modes") {
  Random random(2204);
  for (const unsigned mode : {0x1F80U, 0x9FC0U, 0x3F80U, 0x5F80U, 0x7F80U})
    for (int trial = 0; trial < 60; ++trial) {
      CASE(mode, trial);
      const MemoryHead head = memory_test::random_head(random, MemoryStore::records);
      MemoryRecords records(head);
      const auto d = static_cast<std::size_t>(head.parameters.head_dim);
      std::vector<std::uint8_t> record(records.record_bytes());
      for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(between(random, 0, 255));
      if (trial % 4 == 0)
        record[d * static_cast<std::size_t>(head.parameters.index_bits) / 8 + 1] &= 0x83;
      std::vector<float> expected(d), row(d);
      const Dequantizer dequantizer = records.dequantizer();
      dequantize_ref(dequantizer, record.data(), expected.data());
      const auto master =
          fast_test::vector(random, static_cast<fast_test::Kind>(between(random, 0, 7)),
                            ElementFormat::fp16, head.parameters.head_dim);
      const float eta = blend_rate(between(random, 0, 255), between(random, 0, 255));
      std::vector<std::uint16_t> begun(d), blended = master;
      begin_master_ref(expected.data(), d, begun.data());
      blend_ref(eta, expected.data(), d, blended.data());
      for (const SimdLevel level : fast_test::levels()) {
        CASE(level);
        std::vector<std::uint16_t> m(d), n = master;
        run_in_mode(mode, [&] {
          dequantize(dequantizer, record.data(), row.data(), level);
          begin_master(row.data(), d, m.data(), level);
          blend(eta, row.data(), d, n.data(), level);
        });
        REQUIRE(test::same_bits(row, expected));
        REQUIRE_SAME(m, begun);
        REQUIRE_SAME(n, blended);
      }
    }
}

TEST_CASE("a fast blend is never contracted") {
  struct Case {
    int gate;
    std::uint16_t master;
    float value;
    std::uint16_t result;
  };
  // bit-contract.md#memory-blend: a fused multiply-add gives the neighbours.
  for (const Case& of :
       {Case{153, 0x3860, -18.9375F, 0x9AB4}, Case{137, 0xB753, 17.765625F, 0x1A16}})
    for (const SimdLevel level : fast_test::levels()) {
      CASE(of.gate, of.value, level);
      std::vector<std::uint16_t> master(32, of.master);
      const std::vector<float> row(32, of.value);
      blend(blend_rate(12, of.gate), row.data(), 32, master.data(), level);
      CHECK_SAME(master, std::vector<std::uint16_t>(32, of.result));
    }
}

TEST_CASE("fast gate codes equal golden's, whatever the caller's modes") {
  std::vector<float> logits = {-0.0F, 0.0F, -200.0F, 200.0F, -3.4e38F, 3.4e38F, -1e-45F, 1e-45F};
  for (const float boundary : gate_boundaries())
    for (const float z :
         {boundary, std::nextafter(boundary, -100.0F), std::nextafter(boundary, 100.0F)})
      logits.push_back(z);
  for (const float z : logits) {
    CASE(z);
    int code = 0;
    run_in_mode(0x9FC0U, [&] { code = gate_code(z); });
    CHECK(code == gate_code_ref(z));
  }
}
