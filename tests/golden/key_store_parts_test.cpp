// Codes, errors and erasures in a macro whose records have two parts (bit-contract.md#two-parts).
#include <algorithm>
#include <numeric>
#include <string>

#include "axelram/fast.hpp"
#include "axelram/macro.hpp"
#include "axelram/record.hpp"
#include "check.hpp"
#include "golden/code_examples.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"
#include "golden/stored_bytes.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

Parameters prod(int d, int index_bits) {
  return {.head_dim = d, .index_bits = index_bits, .kind = QuantizerKind::prod};
}

Parameters split(int d, int high, int low) {
  return {.head_dim = d, .scale = ScaleKind::unbiased, .split_high = high, .split_low = low};
}

std::vector<Parameters> two_part_parameters() {
  return {prod(128, 2),     prod(128, 3),     prod(128, 4),    prod(32, 3),    prod(64, 2),
          split(128, 4, 2), split(128, 3, 1), split(32, 4, 3), split(64, 1, 1)};
}

HeadRotation rotation_of(const Parameters& p) {
  std::vector<std::uint16_t> high(p.split() ? static_cast<std::size_t>(p.head_dim / 2) : 0);
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::uint16_t>(2 * i);
  return seeded_rotation(p, 42, 0, 0, high);
}

Macro make_macro(const Parameters& p, const Protection& protection = {},
                 const UnitTable& units = reference_units()) {
  return Macro(p, rotation_of(p), {}, 8, protection, units);
}

void flip(Bytes* bytes, std::size_t bit) {
  (*bytes)[bit / 8] = static_cast<std::uint8_t>((*bytes)[bit / 8] ^ 1U << (bit % 8));
}

/// Flips up to `most` different bits of every codeword of every key.
void hit_every_word(oracle::Rng& rng, KeyStore* store, const Parameters& p, int most) {
  const Code& code = *store->code();
  const auto n = static_cast<std::size_t>(code.n);
  for (std::size_t key = 0; key < store->size(); ++key) {
    Bytes bytes = stored_bytes(*store, key);
    for (std::size_t word = 0; word < code.words(static_cast<std::size_t>(p.record_bits()));
         ++word) {
      std::vector<std::size_t> bits(n);
      std::iota(bits.begin(), bits.end(), word * n);
      std::shuffle(bits.begin(), bits.end(), rng);
      const int count = oracle::uniform(rng, 0, most);
      for (int i = 0; i < count; ++i) flip(&bytes, bits[static_cast<std::size_t>(i)]);
    }
    store->set_stored(key, bytes.data());
  }
}

void expect_same(const QueryResult& a, const QueryResult& b) {
  CHECK_SAME(a.acc, b.acc);
  CHECK_SAME(a.second_acc, b.second_acc);
  CHECK_SAME(a.scores, b.scores);
}

}  // namespace

TEST_CASE("records of two parts under every code: their size, and up to t hits in every word") {
  oracle::Rng rng(61);
  for (const Parameters& p : two_part_parameters())
    for (const std::string& name : code_examples()) {
      CASE(p, name);
      Macro plain = make_macro(p);
      Macro coded = make_macro(p, {name, ErasurePolicy::interpolate, false});
      Macro fast = make_macro(p, {name, ErasurePolicy::interpolate, true}, fast_units());
      const auto bits = static_cast<std::size_t>(p.record_bits());
      CHECK(coded.store().stored_bytes() == coded.store().code()->codeword_bytes(bits));
      for (int key = 0; key < 4; ++key) {
        CASE(key);
        const auto x = oracle::vector(rng, p.head_dim, p.element_format);
        const KeyResult result = coded.write(x.data());
        CHECK_SAME(result.record, plain.write(x.data()).record);
        Bytes codewords(coded.store().stored_bytes());
        encode_bulk_ref(*coded.store().code(), result.record.data(), bits, codewords.data());
        CHECK_SAME(result.codeword, codewords);
        CHECK_SAME(fast.write(x.data()).codeword, codewords);
      }
      hit_every_word(rng, &coded.store(), p, coded.store().code()->correctable);
      for (std::size_t key = 0; key < 4; ++key)
        fast.store().set_stored(key, coded.store().stored(key));
      const auto query = oracle::vector(rng, p.head_dim, p.element_format);
      const QueryResult expected = plain.query(query.data());
      expect_same(coded.query(query.data()), expected);
      expect_same(fast.query(query.data()), expected);
      CHECK(fast.store().events().scrubbed != 0);  // and what it mended is whole again
      for (std::size_t key = 0; key < 4; ++key) {
        CASE(key);
        coded.store().scrub(key);
        CHECK_SAME(stored_bytes(coded.store(), key), stored_bytes(fast.store(), key));
      }
    }
}

TEST_CASE("scores of records of two parts are those of the repaired records, by every policy") {
  oracle::Rng rng(62);
  for (const Parameters& p : two_part_parameters())
    for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_22_16", "hsiao_72_64"})
      for (const ErasurePolicy policy :
           {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate}) {
        CASE(p, name, policy);
        Macro coded = make_macro(p, {name, policy, false});
        Macro fast = make_macro(p, {name, policy, false}, fast_units());
        constexpr std::size_t kKeys = 5;
        for (std::size_t key = 0; key < kKeys; ++key)
          coded.write(oracle::vector(rng, p.head_dim, p.element_format).data());
        hit_every_word(rng, &coded.store(), p, 4);
        const Code& code = *coded.store().code();
        const auto bits = static_cast<std::size_t>(p.record_bits());
        std::vector<Bytes> records, statuses;
        for (std::size_t key = 0; key < kKeys; ++key) {
          records.emplace_back(bits / 8);
          statuses.emplace_back(status_bytes(code.words(bits)));
          decode_bulk_ref(code, coded.store().stored(key), bits, records[key].data(),
                          statuses[key].data());
          fast.write_record(records[key].data());
          fast.store().set_stored(key, coded.store().stored(key));
        }
        const auto at = [&](std::size_t key) {
          return key < kKeys ? DecodedRecord{records[key].data(), statuses[key].data()}
                             : DecodedRecord{};
        };
        Macro plain = make_macro(p);
        for (std::size_t key = 0; key < kKeys; ++key) {
          Bytes repaired(bits / 8);
          repair_record_ref(code, policy, record_fields(p), at(key - 1), at(key), at(key + 1),
                            repaired.data());
          plain.write_record(repaired.data());
        }
        const auto query = oracle::vector(rng, p.head_dim, p.element_format);
        const QueryResult expected = plain.query(query.data());
        expect_same(coded.query(query.data()), expected);
        expect_same(fast.query(query.data()), expected);
      }
}

TEST_CASE("an erased residual sign keeps its received bit; both norms are repaired") {
  // hamming84 has a word for each half of a byte, and a codeword for each byte.
  const Parameters p = prod(32, 3);  // 8 bytes of indices, 4 of signs, then both norms
  const Bytes zero(16);
  for (const ErasurePolicy policy : {ErasurePolicy::zero, ErasurePolicy::interpolate}) {
    CASE(policy);
    KeyStore store(p, 3, {"hamming84", policy, false});
    const Bytes record = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                          0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x3C, 0x01, 0x40};
    for (const Bytes& one : {zero, record, zero}) store.write(one.data());
    Bytes hit = stored_bytes(store, 1);
    REQUIRE(hit.size() == 32);
    for (std::uint8_t& word : hit) word = static_cast<std::uint8_t>(word ^ 3);  // two errors each
    store.set_stored(1, hit.data());
    const std::uint8_t* const read = store.read() + 16;
    // Indices of two bits: 2 where policy is zero, the mean of two zeros otherwise.
    const std::uint8_t index_byte = policy == ErasurePolicy::zero ? 0xAA : 0;
    for (int i = 0; i < 8; ++i) CHECK_AT(i, read[i] == index_byte);
    for (int i = 8; i < 12; ++i)
      CHECK_AT(i, read[i] == 0xCC);  // 0xFF as received, with both errors
    for (int i = 12; i < 16; ++i) CHECK_AT(i, read[i] == 0);
    CHECK(store.events().detected == 32);
  }
}

TEST_CASE("errors are injected into the whole of a record of two parts") {
  const Parameters p = split(128, 4, 2);
  KeyStore store(p, 2, {"hsiao_72_64", ErasurePolicy::keep, false});
  REQUIRE(store.stored_bytes() == 63);  // 7 codewords of 72 bits hold 52 bytes
  Bytes record(52, 0x5A), mask(63);
  store.write(record.data());
  flip(&mask, 6 * 72 + 31);  // the last data bit of the last word: the top bit of the second norm
  flip(&mask, 6 * 72 + 30);
  store.inject(Injection::next_read, mask);
  record.back() = 0x5A ^ 0xC0;
  const std::uint8_t* const first = store.read();
  CHECK_SAME(Bytes(first, first + 52), record);
  CHECK(store.events().detected == 1);
  store.inject(Injection::next_write, mask);
  store.write(Bytes(52, 0x5A).data());
  const std::uint8_t* const second = store.read() + 52;
  CHECK_SAME(Bytes(second, second + 52), record);
  CHECK_THROWS_AS(store.inject(Injection::next_read, Bytes(52)), std::invalid_argument);
}
