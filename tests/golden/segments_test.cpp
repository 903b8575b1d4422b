#include "axelram/segments.hpp"

#include <deque>

#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Append = Segments::Append;

/// Places of all tokens, the oldest first.
std::vector<std::uint32_t> places(const Segments& segments, std::size_t segment) {
  std::vector<std::uint32_t> all;
  const Segment* const of = segments.find(segment);
  for (std::uint32_t t = 0; of != nullptr && t < of->count; ++t) all.push_back(of->place(t));
  return all;
}

Append append(Segments* segments, std::size_t segment) {
  std::uint32_t place = ~0U;
  return segments->append(segment, &place);
}

}  // namespace

TEST_CASE("a ring keeps its first tokens, and forgets the oldest of the others") {
  Segments segments(2, 1, 16);
  REQUIRE(segments.allocate(1, {4, 5, 2, 0, true}));
  for (int t = 0; t < 5; ++t) CHECK_AT(t, append(&segments, 1) == Append::stored);
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5, 6, 7, 8});
  CHECK(append(&segments, 1) == Append::stored);
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5, 7, 8, 6});
  CHECK(append(&segments, 1) == Append::stored);
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5, 8, 6, 7});
  CHECK(segments.evict(1, 2));
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5, 7});
  CHECK(append(&segments, 1) == Append::stored);
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5, 7, 8});
  CHECK(segments.evict(1, 100));
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5});
  CHECK(segments.evict(1, 1));
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5});
  CHECK(append(&segments, 0) == Append::bad_segment);
  for (int t = 0; t < 4; ++t) CHECK_AT(t, append(&segments, 1) == Append::stored);
  CHECK(segments.find(1)->start != 0);
  segments.clear();
  CHECK(places(segments, 1).empty());
  for (int t = 0; t < 3; ++t) CHECK_AT(t, append(&segments, 1) == Append::stored);
  CHECK_SAME(places(segments, 1), std::vector<std::uint32_t>{4, 5, 6});
  CHECK(segments.find(1) != nullptr);
  CHECK(segments.free(1));
  CHECK(segments.find(1) == nullptr);
}

TEST_CASE("what is rejected changes nothing") {
  Segments segments(2, 3, 16);
  CHECK_FALSE(segments.allocate(2, {0, 4, 0, 0, false}));
  CHECK_FALSE(segments.allocate(0, {0, 0, 0, 0, false}));
  CHECK_FALSE(segments.allocate(0, {0, 4, 5, 0, false}));
  CHECK_FALSE(segments.allocate(0, {13, 4, 0, 0, false}));
  CHECK_FALSE(segments.allocate(0, {0xFFFFFFFF, 4, 0, 0, false}));
  CHECK_FALSE(segments.allocate(0, {0, 4, 0, 3, false}));
  CHECK(segments.find(0) == nullptr);
  REQUIRE(segments.allocate(0, {12, 4, 4, 2, true}));
  CHECK_FALSE(segments.allocate(0, {0, 4, 0, 0, false}));
  CHECK(segments.find(0)->base == 12);
  for (int t = 0; t < 4; ++t) CHECK_AT(t, append(&segments, 0) == Append::stored);
  CHECK(append(&segments, 0) == Append::full);  // no ring behind the sinks
  CHECK(segments.evict(0, 3));
  CHECK(segments.find(0)->count == 4);
  REQUIRE(segments.allocate(1, {0, 1, 0, 0, false}));
  CHECK(append(&segments, 1) == Append::stored);
  CHECK(append(&segments, 1) == Append::full);
  CHECK_FALSE(segments.evict(2, 0));
  CHECK_FALSE(segments.free(7));
  CHECK(segments.overlapping(1, {13, 1, 0, 0, false}) == 0);
  CHECK(!segments.overlapping(1, {1, 11, 0, 0, false}));
}

TEST_CASE("segments equal a list of tokens, on random commands") {
  oracle::Rng rng(7);
  for (int trial = 0; trial < 300; ++trial) {
    CASE(trial);
    const auto capacity = static_cast<std::uint32_t>(oracle::uniform(rng, 1, 9));
    const auto sinks =
        static_cast<std::uint32_t>(oracle::uniform(rng, 0, static_cast<int>(capacity)));
    const bool wrap = oracle::uniform(rng, 0, 1) != 0;
    Segments segments(1, 1, 32);
    REQUIRE(segments.allocate(0, {3, capacity, sinks, 0, wrap}));
    std::deque<int> list;           // tokens by number
    std::vector<int> held(32, -1);  // token in each place
    for (int step = 0; step < 100; ++step) {
      CASE(step);
      if (oracle::uniform(rng, 0, 4) != 0) {
        std::uint32_t place = ~0U;
        const Append done = segments.append(0, &place);
        const bool room = list.size() < capacity;
        REQUIRE((done == Append::stored) == (room || (wrap && sinks < capacity)));
        if (done != Append::stored) continue;
        if (!room) list.erase(list.begin() + sinks);
        list.push_back(step);
        held[place] = step;
      } else {
        const int n = oracle::uniform(rng, 0, 4);
        REQUIRE(segments.evict(0, static_cast<std::size_t>(n)));
        for (int k = 0; k < n && list.size() > sinks; ++k) list.erase(list.begin() + sinks);
      }
      std::deque<int> read;
      for (const std::uint32_t place : places(segments, 0)) {
        CASE(place);
        REQUIRE(place >= 3);
        REQUIRE(place < 3 + capacity);
        read.push_back(held[place]);
      }
      REQUIRE_SAME(read, list);
    }
  }
}
