#include "axelram/attention_macro.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <deque>

#include "axelram/macro.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/macro_fixture.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Raw = std::vector<std::uint16_t>;
constexpr std::size_t kKeys = 16;
constexpr std::uint16_t kInfinity = 0x7C00;

Parameters small_parameters() { return {.head_dim = 32}; }

AttentionParameters attention_of(const Parameters& p, int group) {
  return {group, default_weight_bits(kKeys), default_attention_scale(p.head_dim),
          OutputFormat::fp16};
}

/// Rows with the signs of heads 0, 1 and so on.
std::vector<RotationRow> rows(const Parameters& p, int count, const Raw& center = {}) {
  std::vector<RotationRow> all;
  for (int head = 0; head < count; ++head)
    all.push_back({seeded_rotation(p, kDefaultSeed, 0, head), center});
  return all;
}

/// Vectors whose elements are about 1, so that scores matter and nothing saturates.
Raw vector_of(oracle::Rng& rng, int d) {
  Raw x;
  for (int i = 0; i < d; ++i)
    x.push_back(oracle::element(oracle::uniform(rng, 0, 1) != 0, oracle::uniform(rng, 13, 16),
                                oracle::uniform(rng, 0, 1023), ElementFormat::fp16));
  return x;
}

void check_equal(const AttentionResult& a, const AttentionResult& b) {
  CHECK_SAME(a.logits, b.logits);
  CHECK_SAME(a.weights, b.weights);
  CHECK_SAME(a.weight_references, b.weight_references);
  CHECK(a.maximum == b.maximum);
  CHECK(a.denominator == b.denominator);
  CHECK_SAME(a.sums, b.sums);
  CHECK_SAME(a.outputs, b.outputs);
}

struct Token {
  Raw key, value;
};

/// The attention of a query in a macro with these tokens alone, in this order.
AttentionResult attended(const Parameters& p, const RotationRow& row, const Protection& protection,
                         const std::deque<Token>& tokens, const Raw& query) {
  AttentionMacro macro(p, attention_of(p, 1), {row}, 1, kKeys, protection);
  REQUIRE(macro.allocate(0, {0, kKeys, 0, 0, false}));
  for (std::size_t t = 0; t < tokens.size(); ++t)
    REQUIRE_AT(t, macro.append(0, tokens[t].key.data(), tokens[t].value.data()).status ==
                      ItemStatus::done);
  return macro.attend(0, query.data()).outputs.at(0);
}

}  // namespace

TEST_CASE("scores are those of a macro without attention, outputs those of its records") {
  oracle::Rng rng(51);
  std::vector<Parameters> all(5, small_parameters());
  all[1].kind = QuantizerKind::trellis;
  all[2].scale = ScaleKind::unbiased;
  all[2].exact_first = 1;
  all[2].exact_last = 3;
  all[3].centered = true;
  all[4].element_format = ElementFormat::bf16;
  for (const Parameters& p : all) {
    CASE(p);
    const Raw center = p.centered ? vector_of(rng, 32) : Raw();
    const RotationRow row = rows(p, 1, center)[0];
    Macro scores(p, row.rotation, center, kKeys, {"hamming84", ErasurePolicy::keep, true});
    Parameters plain = p;
    plain.centered = false;
    Macro values(plain, row.rotation, {}, kKeys);
    AttentionMacro macro(p, attention_of(p, 1), {row}, 1, kKeys,
                         {"hamming84", ErasurePolicy::keep, true});
    REQUIRE(macro.allocate(0, {0, kKeys, 0, 0, false}));
    std::vector<std::uint8_t> records;
    for (int t = 0; t < 9; ++t) {
      CASE(t);
      const Raw key = vector_of(rng, 32), value = vector_of(rng, 32);
      const KeyResult expected = scores.write(key.data()), of_value = values.write(value.data());
      const TokenResult token = macro.append(0, key.data(), value.data());
      CHECK(token.place == static_cast<std::uint32_t>(t));
      CHECK_SAME(token.key.record, expected.record);
      CHECK_SAME(token.key.codeword, expected.codeword);
      CHECK_SAME(token.value.record, of_value.record);
      records.insert(records.end(), of_value.record.begin(), of_value.record.end());
    }
    const Raw query = vector_of(rng, 32);
    const QueryResult expected = scores.query(query.data());
    const GroupResult group = macro.attend(0, query.data());
    REQUIRE(group.queries.size() == 1);
    CHECK_SAME(group.queries[0].u, expected.u);
    CHECK_SAME(group.queries[0].acc, expected.acc);
    CHECK_SAME(group.queries[0].scores, expected.scores);
    CHECK_SAME(group.queries[0].exact, expected.exact);
    AttentionResult output;
    attend_ref(macro.attention(), p, macro.rom(), row.rotation.signs.data(), expected.scores.data(),
               records.data(), 9, &output);
    check_equal(group.outputs[0], output);
  }
}

TEST_CASE("the queries of a group do not touch each other") {
  oracle::Rng rng(52);
  const Parameters p = small_parameters();
  AttentionMacro one(p, attention_of(p, 1), rows(p, 1), 1, kKeys),
      four(p, attention_of(p, 4), rows(p, 1), 1, kKeys);
  for (AttentionMacro* macro : {&one, &four})
    REQUIRE_AT(macro, macro->allocate(0, {0, kKeys, 0, 0, false}));
  for (int t = 0; t < 5; ++t) {
    CASE(t);
    const Raw key = vector_of(rng, 32), value = vector_of(rng, 32);
    for (AttentionMacro* macro : {&one, &four}) {
      CASE(macro);
      macro->append(0, key.data(), value.data());
    }
  }
  Raw queries;
  for (int g = 0; g < 4; ++g) {
    const Raw query = vector_of(rng, 32);
    queries.insert(queries.end(), query.begin(), query.end());
  }
  const GroupResult group = four.attend(0, queries.data());
  REQUIRE(group.outputs.size() == 4);
  for (std::size_t g = 0; g < 4; ++g) {
    CASE(g);
    check_equal(group.outputs[g], one.attend(0, queries.data() + 32 * g).outputs[0]);
  }
}

TEST_CASE("a query sees the tokens of its segment, in its order, with its rotation") {
  oracle::Rng rng(53);
  const Parameters p = small_parameters();
  for (const char* code : {"none", "hamming84"}) {
    CASE(code);
    const Protection protection{code, ErasurePolicy::interpolate, false};
    const std::vector<RotationRow> rotations = rows(p, 3);
    AttentionMacro macro(p, attention_of(p, 1), rotations, 2, kKeys, protection);
    REQUIRE(macro.allocate(0, {9, 7, 0, 2, false}));
    REQUIRE(macro.allocate(1, {2, 6, 2, 1, true}));
    std::deque<Token> lists[2];
    const auto evict = [&](std::size_t segment, std::size_t n) {
      REQUIRE(macro.evict(segment, n));
      const std::size_t sinks = segment == 1 ? 2 : 0;
      for (; n > 0 && lists[segment].size() > sinks; --n)
        lists[segment].erase(lists[segment].begin() + static_cast<std::ptrdiff_t>(sinks));
    };
    for (int step = 0; step < 40; ++step) {
      CASE(step);
      const auto segment = static_cast<std::size_t>(oracle::uniform(rng, 0, 1));
      const Raw key = vector_of(rng, 32), value = vector_of(rng, 32), query = vector_of(rng, 32);
      if (segment == 1 && lists[1].size() == 6) lists[1].erase(lists[1].begin() + 2);
      if (segment == 0 && lists[0].size() == 7) evict(0, 3);
      REQUIRE(macro.append(segment, key.data(), value.data()).status == ItemStatus::done);
      lists[segment].push_back({key, value});
      if (step % 9 == 8) evict(segment, 2);
      const std::size_t asked = step % 2;
      const RotationRow& row = rotations[asked == 0 ? 2 : 1];
      check_equal(macro.attend(asked, query.data()).outputs.at(0),
                  attended(p, row, protection, lists[asked], query));
    }
  }
}

TEST_CASE("exact tokens of a segment are the first to arrive, and the newest") {
  oracle::Rng rng(57);
  Parameters p = small_parameters();
  p.scale = ScaleKind::unbiased;
  p.exact_first = 2;
  p.exact_last = 1;
  AttentionMacro macro(p, attention_of(p, 1), rows(p, 1), 1, kKeys);
  const Raw query = vector_of(rng, 32);
  const auto append = [&](int count) {
    for (int t = 0; t < count; ++t) {
      CASE(t);
      const Raw key = vector_of(rng, 32), value = vector_of(rng, 32);
      REQUIRE(macro.append(0, key.data(), value.data()).status == ItemStatus::done);
    }
  };
  const auto exact = [&] { return macro.attend(0, query.data()).queries.at(0).exact; };
  REQUIRE(macro.allocate(0, {0, 6, 1, 0, true}));
  append(5);
  CHECK_SAME(exact(), std::vector<std::uint8_t>{1, 1, 0, 0, 1});
  append(2);  // token 1 leaves the ring
  CHECK_SAME(exact(), std::vector<std::uint8_t>{1, 0, 0, 0, 0, 1});
  REQUIRE(macro.evict(0, 9));
  CHECK_SAME(exact(), std::vector<std::uint8_t>{1});
  append(3);
  CHECK_SAME(exact(), std::vector<std::uint8_t>{1, 0, 0, 1});
  macro.clear();
  append(3);
  CHECK_SAME(exact(), std::vector<std::uint8_t>{1, 1, 1});
  REQUIRE(macro.free(0));
  REQUIRE(macro.allocate(0, {3, 6, 0, 0, false}));
  append(4);
  CHECK_SAME(exact(), std::vector<std::uint8_t>{1, 1, 0, 1});
}

TEST_CASE("an allocation that overlaps another segment throws, and changes nothing") {
  const Parameters p = small_parameters();
  AttentionMacro macro(p, attention_of(p, 1), rows(p, 1), 2, kKeys);
  REQUIRE(macro.allocate(0, {0, 8, 0, 0, false}));
  CHECK_THROWS_AS(macro.allocate(1, {7, 4, 0, 0, false}), std::invalid_argument);
  CHECK(macro.segments().find(1) == nullptr);
  CHECK(macro.counters().bad_commands == 0);
  CHECK(macro.allocate(1, {8, 4, 0, 0, false}));
}

TEST_CASE("an erased element is interpolated from neighbours in the order of the segment") {
  oracle::Rng rng(54);
  const Parameters p = small_parameters();
  const Protection protection{"hamming84", ErasurePolicy::interpolate, false};
  const std::vector<RotationRow> rotations = rows(p, 1);
  AttentionMacro ring(p, attention_of(p, 1), rotations, 1, kKeys, protection),
      straight(p, attention_of(p, 1), rotations, 1, kKeys, protection);
  REQUIRE(ring.allocate(0, {0, 5, 1, 0, true}));
  REQUIRE(straight.allocate(0, {0, kKeys, 0, 0, false}));
  std::vector<Token> tokens;
  for (int t = 0; t < 7; ++t) {
    CASE(t);  // tokens 1 and 2 leave the ring
    tokens.push_back({vector_of(rng, 32), vector_of(rng, 32)});
    ring.append(0, tokens.back().key.data(), tokens.back().value.data());
    if (t != 1 && t != 2) straight.append(0, tokens.back().key.data(), tokens.back().value.data());
  }
  // Two bits of a word of token 4, whose neighbours lie elsewhere in the ring.
  const auto hit = [](KeyStore* store, std::size_t place) {
    std::vector<std::uint8_t> bytes(store->stored(place),
                                    store->stored(place) + store->stored_bytes());
    bytes[2] = static_cast<std::uint8_t>(bytes[2] ^ 3);
    store->set_stored(place, bytes.data());
  };
  const Segment& segment = *ring.segments().find(0);
  REQUIRE(segment.place(2) + 1 != segment.place(3));
  for (KeyStore* store : {&ring.keys(), &ring.values()}) hit(store, segment.place(2));
  for (KeyStore* store : {&straight.keys(), &straight.values()}) hit(store, 2);
  const Raw query = vector_of(rng, 32);
  const GroupResult found = ring.attend(0, query.data()),
                    expected = straight.attend(0, query.data());
  CHECK_SAME(found.queries[0].scores, expected.queries[0].scores);
  check_equal(found.outputs[0], expected.outputs[0]);
  CHECK(ring.keys().events().detected == 1);
  CHECK(ring.values().events().detected == 1);
  CHECK(ring.values().events().first_error == segment.place(2));
}

TEST_CASE("a rejected item stores nothing, and counts once") {
  oracle::Rng rng(55);
  const Parameters p = small_parameters();
  AttentionMacro macro(p, attention_of(p, 2), rows(p, 1), 2, kKeys);
  const Raw good = vector_of(rng, 32);
  Raw bad = good;
  bad[31] = kInfinity;
  CHECK(macro.append(0, bad.data(), good.data()).status == ItemStatus::bad_segment);
  CHECK(macro.append(2, good.data(), good.data()).status == ItemStatus::bad_segment);
  CHECK(macro.attend(1, bad.data()).status == ItemStatus::bad_segment);
  CHECK(macro.counters().bad_commands == 3);
  REQUIRE(macro.allocate(0, {0, 1, 0, 0, false}));
  CHECK_FALSE(macro.allocate(0, {0, 1, 0, 0, false}));
  CHECK_FALSE(macro.evict(1, 0));
  CHECK_FALSE(macro.free(1));
  CHECK(macro.counters().bad_commands == 6);
  CHECK(macro.append(0, good.data(), bad.data()).status == ItemStatus::nonfinite);
  CHECK(macro.append(0, bad.data(), good.data()).status == ItemStatus::nonfinite);
  CHECK(macro.segments().find(0)->count == 0);
  CHECK(macro.append(0, good.data(), good.data()).status == ItemStatus::done);
  CHECK(macro.append(0, good.data(), bad.data()).status == ItemStatus::nonfinite);
  const TokenResult full = macro.append(0, good.data(), good.data());
  CHECK(full.status == ItemStatus::full);
  CHECK(full.key.record.empty());
  CHECK(macro.counters().tokens_nonfinite == 3);
  CHECK(macro.counters().tokens_full == 1);
  Raw pair = good;
  pair.insert(pair.end(), bad.begin(), bad.end());
  const GroupResult group = macro.attend(0, pair.data());
  CHECK(group.status == ItemStatus::nonfinite);
  CHECK(group.outputs.empty());
  CHECK(macro.counters().groups_nonfinite == 1);
  CHECK(macro.counters().bad_commands == 6);
  CHECK(macro.free(0));
  CHECK(macro.allocate(0, {3, 4, 0, 0, false}));
  CHECK(macro.segments().find(0)->count == 0);
}

TEST_CASE("events count once for a token of a group, and once for an output") {
  Parameters p = small_parameters();
  p.element_format = ElementFormat::bf16;
  p.index_bits = 2;  // whose level nearest to 1 is 1.51: beyond the largest FP16 number
  AttentionMacro macro(p, attention_of(p, 4), rows(p, 1), 1, kKeys);
  REQUIRE(macro.allocate(0, {0, kKeys, 0, 0, false}));
  const auto filled = [](std::uint16_t element) { return Raw(32, element); };
  const Raw huge = filled(0x7F00), small = filled(0x3F80);
  Raw large_value = filled(0);
  large_value[0] = 0x4E00;
  macro.append(0, huge.data(), large_value.data());
  macro.append(0, small.data(), large_value.data());
  Raw queries;
  for (const Raw* query : {&huge, &small, &huge, &small})
    queries.insert(queries.end(), query->begin(), query->end());
  const GroupResult group = macro.attend(0, queries.data());
  const auto total = [](const std::vector<std::uint8_t>& flags) {
    return std::count(flags.begin(), flags.end(), 1);
  };
  REQUIRE(total(group.outputs[0].logit_saturated) == 2);
  REQUIRE(total(group.outputs[2].logit_saturated) == 2);
  CHECK(macro.counters().logits_saturated == 2);
  // The key of 2^127 saturates its norm; its scores do with the queries of 2^127. Values of 2^29
  // too.
  CHECK(macro.counters().norms_saturated == 3);
  std::uint64_t scores = 0;
  for (std::size_t t = 0; t < 2; ++t)
    scores +=
        std::any_of(group.queries.begin(), group.queries.end(),
                    [&](const QueryResult& query) { return std::abs(query.scores[t]) == FLT_MAX; })
            ? 1
            : 0;
  CHECK(scores > 0);
  CHECK(macro.counters().scores_saturated == scores);
  CHECK(group.queries[0].saturated + group.queries[2].saturated >
        static_cast<int>(macro.counters().scores_saturated));
  CHECK(group.outputs[0].output_saturated);
  std::uint64_t saturated = 0;
  for (const AttentionResult& output : group.outputs) saturated += output.output_saturated ? 1 : 0;
  CHECK(macro.counters().outputs_saturated == saturated);
}

TEST_CASE("write_at leaves other places alone, and reads come in the order asked for") {
  oracle::Rng rng(56);
  const Parameters p = small_parameters();
  for (const char* code : {"none", "golay24"}) {
    CASE(code);
    KeyStore store(p, kKeys, {code, ErasurePolicy::keep, false});
    std::vector<std::vector<std::uint8_t>> records(kKeys);
    const std::uint32_t order[] = {7, 0, 15, 3, 7};
    for (const std::uint32_t place : order) {
      records[place].resize(14);
      for (std::uint8_t& byte : records[place]) byte = static_cast<std::uint8_t>(rng());
      store.write_at(place, records[place].data());
    }
    CHECK(store.size() == 16);
    const std::uint8_t* const read = store.read(order, 5);
    CHECK(read == store.last_read());
    for (std::size_t i = 0; i < 5; ++i) {
      CASE(i);
      CHECK_SAME(std::span(read + 14 * i, 14), records[order[i]]);
    }
    // A place that was not written holds zeros: a codeword of any linear code.
    const std::uint32_t empty = 5;
    CHECK(std::count(store.read(&empty, 1), store.read(&empty, 1) + 14, 0) == 14);
    CHECK_SAME(store.events(), KeyStoreEvents{});
  }
}
