#include <stdexcept>

#include "axelram/key_store.hpp"
#include "check.hpp"
#include "golden/fields.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Records of 18 zero bytes under hamming84: 36 codewords of one byte.
KeyStore zeros(std::size_t keys, bool write_back = false) {
  Parameters p{.head_dim = 32, .index_bits = 4};
  KeyStore store(p, keys + 1, {"hamming84", ErasurePolicy::keep, write_back});
  const Bytes record(18);
  for (std::size_t key = 0; key < keys; ++key) store.write(record.data());
  return store;
}

Bytes memory(const KeyStore& store, std::size_t key) {
  return {store.stored(key), store.stored(key) + store.stored_bytes()};
}

Bytes mask(std::uint8_t first) {
  Bytes bytes(36);
  bytes[0] = first;
  return bytes;
}

}  // namespace

TEST_CASE("an error injected into the next write stays in the memory, once") {
  KeyStore store = zeros(0);
  store.inject(Injection::next_write, mask(1));
  store.read();
  const Bytes record(18);
  store.write(record.data());
  CHECK_SAME(memory(store, 0), mask(1));
  store.read();
  store.read();
  CHECK(store.events().corrected == 2);
  store.clear();
  store.write(record.data());
  CHECK_SAME(memory(store, 0), Bytes(36));
}

TEST_CASE("an error injected into the next read is seen once, by the first key read") {
  KeyStore store = zeros(3);
  store.inject(Injection::next_read, mask(3));
  const std::uint8_t* const read = store.read();
  CHECK(read[0] == 3);
  CHECK(read[18] == 0);
  CHECK_SAME(store.events(), KeyStoreEvents{0, 0, 1, 0, 0});
  CHECK_SAME(memory(store, 0), Bytes(36));
  CHECK(store.read()[0] == 0);
  CHECK(store.events().detected == 1);
  store.inject(Injection::next_read, mask(1));
  store.scrub(2);
  CHECK_SAME(store.events(), KeyStoreEvents{1, 0, 1, 1, 0});
  CHECK_SAME(memory(store, 2), Bytes(36));
}

TEST_CASE("an error injected into every read is seen until it is switched off") {
  KeyStore store = zeros(3, true);
  store.inject(Injection::every_read, mask(0x80));
  store.read();
  store.read();
  CHECK(store.events().parity_only == 6);
  CHECK_SAME(memory(store, 1), Bytes(36));
  store.inject(Injection::off, mask(0x80));
  store.read();
  CHECK(store.events().parity_only == 6);
}

TEST_CASE("injection needs a code and a mask of a stored key's size") {
  KeyStore store = zeros(1);
  CHECK_THROWS_AS(store.inject(Injection::next_read, Bytes(35)), std::invalid_argument);
  CHECK_THROWS_AS(store.inject(Injection::next_read, Bytes(37)), std::invalid_argument);
  KeyStore bare(Parameters{}, 1, {});
  CHECK_THROWS_AS(bare.inject(Injection::next_read, Bytes(50)), std::logic_error);
}
