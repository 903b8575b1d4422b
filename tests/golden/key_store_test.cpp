#include "axelram/key_store.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "golden/code_examples.hpp"
#include "golden/fields.hpp"
#include "golden/macro_fixture.hpp"
#include "golden/oracle.hpp"
#include "golden/stored_bytes.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<std::string> kCodes = code_examples();
const ErasurePolicy kPolicies[] = {ErasurePolicy::keep, ErasurePolicy::zero,
                                   ErasurePolicy::interpolate};

Parameters small_parameters() { return {.head_dim = 32}; }

Bytes random_record(oracle::Rng& rng, const Parameters& p) {
  Bytes record(static_cast<std::size_t>(p.record_bytes()));
  for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(rng());
  return record;
}

/// Stored bytes of key `key`.
/// Flips `count` different bits of codeword `word` of key `key`.
void hit(oracle::Rng& rng, KeyStore* store, std::size_t key, std::size_t word, int count) {
  Bytes bytes = stored_bytes(*store, key);
  const auto n = static_cast<std::size_t>(store->code()->n);
  std::vector<std::size_t> bits(n);
  for (std::size_t i = 0; i < n; ++i) bits[i] = word * n + i;
  std::shuffle(bits.begin(), bits.end(), rng);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    bytes[bits[i] / 8] = static_cast<std::uint8_t>(bytes[bits[i] / 8] ^ 1U << (bits[i] % 8));
  store->set_stored(key, bytes.data());
}

std::size_t words_per_key(const KeyStore& store) {
  return store.code()->words(static_cast<std::size_t>(8 * small_parameters().record_bytes()));
}

/// Hits every codeword of every key with up to t errors; returns the codewords hit.
std::uint64_t hit_everywhere(oracle::Rng& rng, KeyStore* store, std::size_t words) {
  std::uint64_t count = 0;
  for (std::size_t key = 0; key < store->size(); ++key)
    for (std::size_t word = 0; word < words; ++word) {
      const int hits = oracle::uniform(rng, 0, store->code()->correctable);
      hit(rng, store, key, word, hits);
      count += hits != 0;
    }
  return count;
}

}  // namespace

TEST_CASE("without a code the memory holds the records, and any fault in it is read") {
  oracle::Rng rng(41);
  const Parameters p = small_parameters();
  KeyStore store(p, 2, {});
  CHECK(store.code() == nullptr);
  CHECK(store.stored_bytes() == 14);
  const Bytes a = random_record(rng, p), b = random_record(rng, p);
  CHECK(store.write(a.data()));
  CHECK(store.write(b.data()));
  CHECK_FALSE(store.write(a.data()));
  CHECK(store.size() == 2);
  CHECK_SAME(stored_bytes(store, 1), b);
  store.set_stored(0, b.data());
  store.scrub(0);
  CHECK_SAME(Bytes(store.read(), store.read() + 14), b);
  CHECK(store.statuses(0) == nullptr);
  CHECK_SAME(store.events(), KeyStoreEvents{});
}

TEST_CASE("an unknown code is rejected") {
  CHECK_THROWS_AS(KeyStore(small_parameters(), 2, {"hamming", {}, false}), std::invalid_argument);
  CHECK_THROWS_AS(KeyStore(small_parameters(), 2, {"", {}, false}), std::invalid_argument);
}

TEST_CASE("records come back in order; full, clear and write again") {
  oracle::Rng rng(42);
  const Parameters p = small_parameters();
  for (const std::string& name : kCodes) {
    CASE(name);
    KeyStore store(p, 3, {name, ErasurePolicy::interpolate, false});
    CHECK(store.max_keys() == 3);
    CHECK(store.protection().code == name);
    CHECK(store.stored_bytes() == store.code()->codeword_bytes(14 * 8));
    for (int round = 0; round < 2; ++round) {
      CASE(round);
      Bytes all;
      for (std::size_t key = 0; key < 3; ++key) {
        CASE(key);
        const Bytes record = random_record(rng, p);
        CHECK(store.write(record.data()));
        CHECK(store.size() == key + 1);
        Bytes codewords(store.stored_bytes());
        encode_bulk_ref(*store.code(), record.data(), 14 * 8, codewords.data());
        CHECK_SAME(stored_bytes(store, key), codewords);
        all.insert(all.end(), record.begin(), record.end());
      }
      const Bytes rejected = random_record(rng, p);
      CHECK_FALSE(store.write(rejected.data()));
      CHECK(store.size() == 3);
      const std::uint8_t* const read = store.read();
      CHECK_SAME(Bytes(read, read + all.size()), all);
      for (std::size_t key = 0; key < 3; ++key)
        for (std::size_t word = 0; word < words_per_key(store); ++word) {
          CASE(key, word);
          CHECK(status_at(store.statuses(key), word) == WordStatus::clean);
        }
      CHECK_SAME(store.events(), KeyStoreEvents{});
      store.clear();
      CHECK(store.size() == 0);
    }
  }
}

TEST_CASE("up to t hits in every word: the records are read as written; write-back mends them") {
  oracle::Rng rng(43);
  const Parameters p = small_parameters();
  for (const std::string& name : kCodes)
    for (const ErasurePolicy policy : kPolicies)
      for (const bool write_back : {false, true}) {
        CASE(name, policy, write_back);
        KeyStore store(p, 5, {name, policy, write_back});
        Bytes all, memory;
        for (std::size_t key = 0; key < 5; ++key) {
          const Bytes record = random_record(rng, p);
          store.write(record.data());
          all.insert(all.end(), record.begin(), record.end());
        }
        const auto whole = [&] {
          return Bytes(store.stored(0), store.stored(0) + 5 * store.stored_bytes());
        };
        memory = whole();
        const std::uint64_t hits = hit_everywhere(rng, &store, words_per_key(store));
        REQUIRE_DIFFERENT(whole(), memory);
        const std::uint8_t* const read = store.read();
        CHECK_SAME(Bytes(read, read + all.size()), all);
        KeyStoreEvents events = store.events();
        CHECK(events.corrected + events.parity_only == hits);
        CHECK(events.detected == 0);
        CHECK((whole() == memory) == write_back);
        CHECK((events.scrubbed != 0) == write_back);
        store.read();  // counts what is still there
        CHECK(store.events().corrected + store.events().parity_only ==
              (write_back ? hits : 2 * hits));
      }
}

TEST_CASE("scores are the same bits with up to t hits in every stored word") {
  oracle::Rng rng(44);
  const Parameters p = small_parameters();
  const std::size_t keys = 6;
  for (const std::string& name : kCodes)
    for (const ErasurePolicy policy : kPolicies) {
      CASE(name, policy);
      Macro plain = macro_fixture::make_macro(p);
      Macro coded(p, macro_fixture::seeded_signs(32), {}, 64, {name, policy, false});
      for (std::size_t key = 0; key < keys; ++key) {
        CASE(key);
        const std::vector<std::uint16_t> x = oracle::vector(rng, 32, p.element_format);
        const KeyResult result = coded.write(x.data());
        CHECK_SAME(result.record, plain.write(x.data()).record);
        CHECK_SAME(result.codeword, stored_bytes(coded.store(), key));
      }
      hit_everywhere(rng, &coded.store(), words_per_key(coded.store()));
      const std::vector<std::uint16_t> query = oracle::vector(rng, 32, p.element_format);
      const QueryResult expected = plain.query(query.data());
      const QueryResult result = coded.query(query.data());
      CHECK_SAME(result.acc, expected.acc);
      CHECK_SAME(result.scores, expected.scores);
      CHECK(result.scores.size() == keys);
    }
}
