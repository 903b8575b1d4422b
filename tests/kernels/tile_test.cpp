#include <set>
#include <utility>

#include "axelram/kernels/constants.hpp"
#include "axelram/record.hpp"
#include "check.hpp"
#include "paged.hpp"
#include "tiles.hpp"
#include "two_parts.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

template <class Check>
void for_every_layout(const Check& check) {
  for (const int log2_dim : {5, 6, 7, 8})
    for (const int b : {1, 2, 3, 4})
      for (const bool values : {false, true}) {
        CASE(log2_dim, b, values);
        check(log2_dim, b, values);
      }
}

template <int kBits>
void check_expansion(int log2_dim, bool values) {
  const int d = 1 << log2_dim, words = tile_lane_words(d, kBits);
  CodebookConstants codebook{};
  codebook.index_bits = kBits;
  for (int j = 0; j < 1 << kBits; ++j) codebook.centroids[j] = 16 * j - 125;
  const CentroidBytes table = centroid_bytes(codebook, 0);
  const auto bytes = static_cast<std::size_t>(record_bytes(d, kBits));
  const std::vector<std::uint8_t> records =
      test::random_bytes(kTileTokens * bytes, static_cast<std::uint64_t>(d + kBits));
  std::vector<std::uint8_t> tile = test::random_bytes(tile_bytes(d, kBits), 1);
  for (int token = 0; token < kTileTokens; ++token)
    test::put_record(tile.data(), values, d, kBits, token,
                     records.data() + static_cast<std::size_t>(token) * bytes);
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  std::uint16_t norm = 0;
  for (int lane = 0; lane < 32; ++lane)
    for (int unit = 0; unit < d / 32; ++unit) {
      CASE(lane, unit);
      std::uint32_t w[kBits], expanded[8];
      for (int i = 0; i < kBits; ++i) {
        CASE(i);
        const int at = tile_word(tile_vector_words(d, kBits), lane, unit * kBits + i);
        REQUIRE(at < 32 * words);
        std::memcpy(&w[i], tile.data() + 4 * at, 4);
      }
      expand_unit<kBits>(w, table, expanded);
      for (int i = 0; i < 32; ++i) {
        CASE(i);
        const TileElement element = tile_element(values, log2_dim, lane, 32 * unit + i);
        unpack_record_ref(records.data() + static_cast<std::size_t>(element.token) * bytes, d,
                          kBits, indices.data(), &norm);
        const auto centroid = static_cast<std::int8_t>(expanded[i / 4] >> (8 * (i % 4)));
        REQUIRE(centroid == codebook.centroids[indices[static_cast<std::size_t>(element.dim)]]);
      }
    }
}

}  // namespace

TEST_CASE("tile: every index bit of every token has its own bit of the tile, and they fill it") {
  for_every_layout([](int log2_dim, int b, bool values) {
    const int d = 1 << log2_dim, vector = tile_vector_words(d, b);
    CHECK(tile_lane_words(d, b) % vector == 0);
    std::set<std::pair<int, int>> places;
    for (int token = 0; token < kTileTokens; ++token)
      for (int dim = 0; dim < d; ++dim) {
        CASE(token, dim);
        const PayloadSlot slot = payload_slot(values, log2_dim, token, dim);
        const TileElement element = tile_element(values, log2_dim, slot.lane, slot.index);
        REQUIRE(element.token == token);
        REQUIRE(element.dim == dim);
        for (int bit = 0; bit < b; ++bit) {
          const PayloadBit at = payload_bit(b, slot.index, bit);
          places.emplace(tile_word(vector, slot.lane, at.word), at.bit);
        }
      }
    CHECK(places.size() == static_cast<std::size_t>(kTileTokens * d * b));
    CHECK(places.begin()->first == 0);
    CHECK(places.rbegin()->first == d * b - 1);
    CHECK(tile_norm(d, b, 31) + 2 == static_cast<int>(tile_bytes(d, b)));
  });
}

TEST_CASE("tile: fragments of tensor cores are consecutive registers of a payload") {
  // Keys: the B fragment of tokens 8 * kappa + g and dimensions 32 * s .. in the tile's order.
  const TileElement key = tile_element(false, 7, 4 * 5 + 2, 4 * (3 * 8 + 2 * 1) + 3);
  CHECK(key.token == 8 * 3 + 5);
  CHECK(key.dim == 32 * 2 + 8 * 1 + 3);
  // Values: register 2j + u holds tokens 16u + 2t, + 1, + 8, + 9 of dimension 8j + g.
  const int token[4] = {16 + 4, 16 + 5, 16 + 12, 16 + 13};
  for (int i = 0; i < 4; ++i) {
    CASE(i);
    const TileElement value = tile_element(true, 7, 4 * 5 + 2, 4 * (2 * 9 + 1) + i);
    CHECK(value.token == token[i]);
    CHECK(value.dim == 8 * 9 + 5);
  }
}

TEST_CASE("tile: expansion gives the centroid words of the records") {
  for_every_layout([](int log2_dim, int b, bool values) {
    if (b == 1) check_expansion<1>(log2_dim, values);
    if (b == 2) check_expansion<2>(log2_dim, values);
    if (b == 3) check_expansion<3>(log2_dim, values);
    if (b == 4) check_expansion<4>(log2_dim, values);
  });
}

TEST_CASE("tile: bytes of tiles and pages") {
  CHECK(tile_bytes(128, 3) == 32 * 50);
  CHECK(record_head_bytes(128, 3, 64) == 3200);
  CHECK(record_head_bytes(128, 3, 32) == 1664);
  CHECK(tile_bytes(test::part_pages(test::prod_of(128, 3), 1, 32)) == 32 * 52);
  CHECK(tile_bytes(test::part_pages(test::split_of(128, 3, 1, 0), 1, 32)) == 32 * 36);
}
