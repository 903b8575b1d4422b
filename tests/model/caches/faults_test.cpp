#include <cmath>
#include <stdexcept>

#include "axelram/files/safetensors.hpp"
#include "rows/row_memory.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;
using transformer::MemoryEvents;

namespace {

constexpr std::size_t kTokens = 256, kD = 128;

/// n * p within five standard deviations: one draw in a million is outside.
void check_count(std::uint64_t events, double n, double p) {
  CASE(events, n * p);
  CHECK(std::abs(static_cast<double>(events) - n * p) < 5 * std::sqrt(n * p * (1 - p)));
}

std::string configuration(const test::TemporaryFolder& folder, const std::string& more = "") {
  test::put(folder / "c.yaml", "ecc: {code: hamming84, erasure: zero}\n" + more);
  return "axelram:config=" + (folder / "c.yaml");
}

}  // namespace

TEST_CASE("bits flip as often as asked, and Hamming(8,4) does what its closed forms say") {
  const test::TemporaryFolder folder;
  const double p = 0.01, q = 1 - p;
  for (const std::string& specification :
       {configuration(folder) + ",ber=0.01", std::string("int4:code=hamming84,ber=0.01")}) {
    CASE(specification);
    const auto cache = test::cache(specification, {1, 1, kD});
    const auto keys = cache->keys(0, 0);
    const Floats rows = test::gaussian(kTokens * kD, 1);
    for (std::uint32_t sequence = 0; sequence < 8; ++sequence) {
      keys->begin(sequence);
      keys->write(rows.data(), kTokens);
    }
    const MemoryEvents events = keys->events();
    const auto words = static_cast<double>(events.words);
    const bool int4 = specification[0] == 'i';
    CHECK(events.words == 8 * kTokens * (int4 ? 128 : 100));
    CHECK(events.stored_bits == 8 * events.words);
    check_count(events.injected, 8 * words, p);
    // Hamming(8,4) (references.md#ecc-kv-cache): one error is corrected, or hits the overall
    // parity; an even number is detected but where it is one of the 14 codewords of weight 4; odd
    // ones from three on pass for one error.
    const double one = 8 * p * std::pow(q, 7);
    const double two = 28 * p * p * std::pow(q, 6), six = 28 * std::pow(p, 6) * q * q;
    const double four = 56 * std::pow(p, 4) * std::pow(q, 4);
    const double odd = 56 * std::pow(p, 3) * std::pow(q, 5) + 56 * std::pow(p, 5) * std::pow(q, 3);
    const double mistaken = odd + 14 * std::pow(p, 4) * std::pow(q, 4);
    check_count(events.detected, words, two + four + six);
    check_count(events.corrected + events.parity_only, words, one + odd);
    // Seven of 56 odd triples leave the data alone: at most that much less.
    CHECK(static_cast<double>(events.miscorrected) < words * mistaken * 1.3);
    CHECK(static_cast<double>(events.miscorrected) > words * mistaken * 0.7);
  }
}

TEST_CASE("without a code bits flip as often as asked, and without errors nothing happens") {
  const auto keys = test::cache("int4:ber=0.25", {1, 1, kD})->keys(0, 0);
  const Floats rows = test::gaussian(kTokens * kD, 1);
  keys->write(rows.data(), kTokens);
  check_count(keys->events().injected, kTokens * kD * 4, 0.25);
  CHECK(keys->events().stored_bits == kTokens * kD * 4);
  CHECK(keys->events().words == 0);
  CHECK(keys->events().miscorrected == 0);
  const auto clean = test::cache("int4:code=golay24", {1, 1, kD})->keys(0, 0);
  clean->write(rows.data(), kTokens);
  CHECK(clean->events().words == kTokens * 43);
  CHECK(clean->events().injected + clean->events().corrected + clean->events().detected == 0);
}

TEST_CASE("a miscorrected word is one that passes with other data than written") {
  const auto code = std::make_shared<const caches::RowCode>("hamming84", 64, fast_units());
  caches::RowMemory memory(code, ErasurePolicy::keep, nullptr, {0.08, 1}, {});
  const std::vector<std::uint8_t> row = {1, 35, 69, 103, 137, 171, 205, 239};
  std::uint64_t passed = 0;
  for (std::size_t t = 0; t < 500; ++t) {
    memory.append(row.data());
    memory.settle();
    for (std::size_t word = 0; word < 16; ++word) {
      const int written = row[word / 2] >> (4 * (word % 2)) & 15;
      passed += (memory.row(t)[word / 2] >> (4 * (word % 2)) & 15) != written ? 1 : 0;
    }
  }
  // Words with wrong data either passed or were detected with a hit in the data part.
  CHECK(memory.events().miscorrected > 100);
  CHECK(memory.events().miscorrected < passed);
  CHECK(passed < memory.events().miscorrected + memory.events().detected);
}

TEST_CASE("other sequences, layers, heads and kinds of rows meet other faults") {
  const test::TemporaryFolder folder;
  for (const std::string& specification :
       {configuration(folder, "rotation: {identity: true}") + ",ber=0.02,fault_seed=5",
        std::string("int4:ber=0.02,fault_seed=5")}) {
    CASE(specification);
    const auto cache = test::cache(specification, {2, 2, kD});
    const Floats rows = test::gaussian(40 * kD, 1), queries = test::gaussian(40 * kD, 2);
    const auto scores = [&](int layer, int head, std::uint32_t sequence) {
      return test::all_scores(*cache->keys(layer, head), rows, queries, kD, sequence);
    };
    const Floats one = scores(0, 0, 0);
    CHECK(test::same_bits(one, scores(0, 0, 0)));
    CHECK_FALSE(test::same_bits(one, scores(0, 0, 1)));
    CHECK_FALSE(test::same_bits(one, scores(1, 0, 0)));
    CHECK_FALSE(test::same_bits(one, scores(0, 1, 0)));
    // inject() is heard at the next begin(), and gives what the specification would have given.
    const auto keys = cache->keys(0, 0);
    keys->inject(0.02, 6);
    CHECK(test::same_bits(one, [&] {
      Floats all(one.size(), 0.0F);
      keys->write(rows.data(), 40);
      keys->score(queries.data(), 40, 0, 0, 40, all.data());
      return all;
    }()));
    CHECK_FALSE(test::same_bits(one, test::all_scores(*keys, rows, queries, kD)));
    keys->inject(0.02, 5);
    CHECK(test::same_bits(one, test::all_scores(*keys, rows, queries, kD)));
    CHECK_THROWS_AS(keys->inject(1.5, 5), std::invalid_argument);
    keys->inject(0, 5);
    const std::uint64_t injected = keys->events().injected;
    CHECK_FALSE(test::same_bits(one, test::all_scores(*keys, rows, queries, kD)));
    CHECK(keys->events().injected == injected);
    // Keys and values: the number of flips, drawn from other words, tells them apart.
    const auto key_store = cache->keys(0, 0);
    const auto value_store = cache->values(0, 0);
    std::vector<std::uint64_t> key_flips, value_flips;
    for (std::size_t t = 0; t < 40; ++t) {
      key_store->write(&rows[t * kD], 1);
      value_store->write(&rows[t * kD], 1);
      key_flips.push_back(key_store->events().injected);
      value_flips.push_back(value_store->events().injected);
    }
    CHECK_DIFFERENT(key_flips, value_flips);
  }
}
