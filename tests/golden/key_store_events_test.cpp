#include "axelram/key_store.hpp"
#include "axelram/record.hpp"
#include "check.hpp"
#include "golden/fields.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Keys of 32 four-bit indices under hamming84: word i is index i, words 32 to 35 the norm.
class Store {
 public:
  explicit Store(const Protection& protection, std::size_t keys = 4)
      : store_(parameters(), keys, protection) {
    for (std::size_t key = 0; key < keys; ++key) {
      const std::vector<std::uint8_t> indices(32, static_cast<std::uint8_t>(3 * key));
      Bytes record(18);
      pack_record_ref(indices.data(), 0x3C00, 32, 4, record.data());
      store_.write(record.data());
    }
  }
  KeyStore& operator*() { return store_; }
  KeyStore* operator->() { return &store_; }

  /// XORs one codeword of a key: hamming84 has one to a byte.
  void hit(std::size_t key, std::size_t word, std::uint8_t error) {
    Bytes bytes = memory(key);
    bytes[word] = static_cast<std::uint8_t>(bytes[word] ^ error);
    store_.set_stored(key, bytes.data());
  }
  Bytes memory(std::size_t key) const {
    return {store_.stored(key), store_.stored(key) + store_.stored_bytes()};
  }
  /// Index `i` of key `key` as read.
  int index(std::size_t key, int i) {
    std::vector<std::uint8_t> indices(32);
    std::uint16_t norm = 0;
    unpack_record_ref(store_.read() + key * 18, 32, 4, indices.data(), &norm);
    return indices[static_cast<std::size_t>(i)];
  }

 private:
  static Parameters parameters() { return {.head_dim = 32, .index_bits = 4}; }
  KeyStore store_;
};

constexpr std::uint8_t kSingle = 0x01, kDouble = 0x03, kParity = 0x80;

}  // namespace

TEST_CASE("events count words by kind and name the first key with one") {
  Store store({"hamming84", ErasurePolicy::keep, false});
  store.hit(2, 0, kSingle);
  store.hit(2, 5, kParity);
  store.hit(3, 1, kDouble);
  store.hit(3, 2, kSingle);
  store.hit(3, 3, kSingle);
  store->read();
  CHECK_SAME(store->events(), KeyStoreEvents{3, 1, 1, 0, 2});
  CHECK(status_at(store->statuses(2), 0) == WordStatus::corrected);
  CHECK(status_at(store->statuses(2), 5) == WordStatus::parity_only);
  CHECK(status_at(store->statuses(3), 1) == WordStatus::detected);
  CHECK(status_at(store->statuses(3), 0) == WordStatus::clean);
  store.hit(0, 0, kSingle);  // the first one stays the first one seen
  store->read();
  CHECK_SAME(store->events(), KeyStoreEvents{7, 2, 2, 0, 2});
  store->clear_events();
  CHECK_SAME(store->events(), KeyStoreEvents{});
  store->read();
  CHECK_SAME(store->events(), KeyStoreEvents{4, 1, 1, 0, 0});
}

TEST_CASE("each kind of word alone is an event with a key") {
  for (const std::uint8_t error : {kSingle, kDouble, kParity}) {
    CASE(error);
    Store store({"hamming84", ErasurePolicy::keep, false});
    store.hit(1, 7, error);
    store->read();
    CHECK(store->events().first_error == 1U);
  }
}

TEST_CASE("write-back replaces correctable words only, once, and hides no detected one") {
  Store store({"hamming84", ErasurePolicy::keep, true});
  const Bytes clean0 = store.memory(0), clean1 = store.memory(1), clean2 = store.memory(2);
  store.hit(0, 0, kParity);  // a record with nothing but a parity hit is mended too
  store.hit(1, 4, kSingle);
  store.hit(1, 5, kDouble);
  store.hit(2, 6, kDouble);
  const Bytes left2 = store.memory(2);
  store->read();
  CHECK_SAME(store->events(), KeyStoreEvents{1, 1, 2, 2, 0});
  CHECK_SAME(store.memory(0), clean0);
  CHECK_SAME(store.memory(2), left2);
  Bytes left1 = clean1;
  left1[5] = static_cast<std::uint8_t>(left1[5] ^ kDouble);
  CHECK_SAME(store.memory(1), left1);
  store->clear_events();
  store->read();
  CHECK_SAME(store->events(), KeyStoreEvents{0, 0, 2, 0, 1});
}

TEST_CASE("without write-back the memory stays as it is") {
  Store store({"hamming84", ErasurePolicy::keep, false});
  store.hit(0, 0, kSingle);
  const Bytes before = store.memory(0);
  store->read();
  CHECK_SAME(store.memory(0), before);
  store->set_write_back(true);
  store->read();
  CHECK_DIFFERENT(store.memory(0), before);
  CHECK_SAME(store->events(), KeyStoreEvents{2, 0, 0, 1, 0});
}

TEST_CASE("scrubbing one key corrects it, counts it and touches no other") {
  Store store({"hamming84", ErasurePolicy::interpolate, false});
  const Bytes clean = store.memory(1);
  store.hit(1, 0, kSingle);
  store.hit(1, 1, kParity);
  store.hit(2, 0, kSingle);
  store.hit(3, 0, kDouble);
  const Bytes other = store.memory(2), lost = store.memory(3);
  store->scrub(1);
  CHECK_SAME(store.memory(1), clean);
  CHECK_SAME(store.memory(2), other);
  CHECK_SAME(store->events(), KeyStoreEvents{1, 1, 0, 1, 1});
  store->scrub(1);
  store->scrub(0);
  CHECK_SAME(store->events(), KeyStoreEvents{1, 1, 0, 1, 1});
  store->scrub(3);  // an erasure stays one: the sequence, not the memory, is interpolated
  CHECK_SAME(store.memory(3), lost);
  CHECK_SAME(store->events(), KeyStoreEvents{1, 1, 1, 1, 1});
}

TEST_CASE("erased indices are kept, zeroed or interpolated; the policy is a run-time register") {
  Store store({"hamming84", ErasurePolicy::keep, false});
  store.hit(1, 3, kDouble);  // index 3 was 3 and is 0; its neighbours have 0 and 6
  CHECK(store.index(1, 3) == 0);
  store->set_erasure(ErasurePolicy::zero);
  CHECK(store.index(1, 3) == 8);
  CHECK(store.index(1, 2) == 3);
  store->set_erasure(ErasurePolicy::interpolate);
  CHECK(store.index(1, 3) == 3);
  store.hit(2, 3, kDouble);
  CHECK(store.index(1, 3) == 0);
  CHECK(store.index(2, 3) == 9);
  store->set_erasure(ErasurePolicy::keep);
  CHECK(store.index(1, 3) == 0);
}

TEST_CASE("a single key and keys after a clear have no neighbours left over") {
  Store single({"hamming84", ErasurePolicy::interpolate, false}, 1);
  single.hit(0, 3, kDouble);
  CHECK(single.index(0, 3) == 3);
  Store store({"hamming84", ErasurePolicy::interpolate, false});
  const Bytes codewords = store.memory(2);
  store->read();
  store->clear();
  store->read();
  const Bytes record(18, 0x11);
  store->write(record.data());
  store->set_stored(0, codewords.data());  // every index is 6
  store.hit(0, 3, kDouble);
  CHECK(store.index(0, 3) == 5);
}
