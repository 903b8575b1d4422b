#include <algorithm>

#include "axelram/kernels/scores.hpp"
#include "check.hpp"
#include "golden_scores.hpp"
#include "paged.hpp"
#include "tiles.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using namespace test;

struct TileCase {
  int d, b, query_bits, centroid_bits;
  std::int32_t heads, group, page_tokens;
  std::vector<std::int32_t> lengths;
  std::size_t stride;
  bool plain;
  std::int32_t max_pages = 0;  ///< of the table as launched; 0: as many as there are
  int states = 0;              ///< of a trellis; 0: none
};

void check_tiles(const TileCase& c) {
  Stream stream;
  const Parameters p =
      with_trellis(parameters_of(c.d, c.b, c.query_bits, c.centroid_bits), c.states);
  const CodebookRom rom = codebook_rom(p);
  const auto d = static_cast<std::size_t>(c.d);
  test::PagedCache cache(stream, test::record_pages(c.d, c.b, c.heads, c.page_tokens, false),
                         c.lengths, 8);
  const std::vector<std::uint8_t> memory = cache.memory.download(stream);
  std::vector<std::uint8_t> filled = memory;
  const std::size_t rows = c.lengths.size() * static_cast<std::size_t>(c.heads * c.group);
  const auto u = random_queries<std::int8_t>(rows * d, c.query_bits, 4);
  const std::vector<std::int32_t> exponents = exponents_of(rows, c.plain);
  std::vector<float> scores(rows * c.stride, 77.0F);
  std::vector<std::int32_t> accumulators(rows * c.stride, 77);
  const std::size_t bytes = static_cast<std::size_t>(p.record_bytes());
  std::size_t row = 0;
  for (std::size_t sequence = 0; sequence < c.lengths.size(); ++sequence)
    for (std::int32_t head = 0; head < c.heads; ++head, row += static_cast<std::size_t>(c.group)) {
      const auto keys = static_cast<std::size_t>(c.lengths[sequence]);
      std::vector<std::uint8_t> records =
          c.states == 0 ? random_bytes(keys * bytes, row) : records_of_every_kind(p, keys, row);
      for (std::size_t t = 0; t < keys; ++t) {
        if (t % 7 == 0) std::fill_n(records.data() + t * bytes + bytes - 2, 2, std::uint8_t{0});
        const auto position = static_cast<std::int32_t>(t);
        const std::int32_t token = position % c.page_tokens;
        test::put_record(filled.data() +
                             cache.head_at(static_cast<std::int32_t>(sequence), position, head) +
                             static_cast<std::size_t>(token / 32) * tile_bytes(c.d, c.b),
                         false, c.d, c.b, token % 32, records.data() + t * bytes);
        for (std::size_t q = row; q < row + static_cast<std::size_t>(c.group); ++q) {
          if (t >= c.stride) continue;
          const Scored s =
              golden_score(p, rom, u.data() + q * d, std::clamp(exponents[q], -9999, 9999),
                           records.data() + t * bytes);
          scores[q * c.stride + t] = s.score;
          accumulators[q * c.stride + t] = static_cast<std::int32_t>(s.acc);
        }
      }
    }
  if (c.max_pages != 0) cache.block_table.max_pages = c.max_pages;
  copy_to_device(stream, cache.memory.data(), filled.data(), filled.size());
  const Buffer<std::int8_t> device_u(stream, u);
  const Buffer<std::int32_t> device_exponents(stream, exponents), lengths(stream, c.lengths);
  const std::vector<float> untouched(rows * c.stride, 77.0F);
  const std::vector<std::int32_t> untouched_accumulators(rows * c.stride, 77);
  for (const bool wanted : {false, true}) {
    CASE(wanted);
    const Buffer<float> device_scores(stream, untouched);
    const Buffer<std::int32_t> device_accumulators(stream, untouched_accumulators);
    score_tiles(stream, macro_constants(p, rom), cache.pages, cache.block_table, lengths.data(),
                c.group, device_u.data(), device_exponents.data(), c.stride, device_scores.data(),
                wanted ? device_accumulators.data() : nullptr);
    CHECK(test::same_bits(device_scores.download(stream), scores));
    CHECK_SAME(device_accumulators.download(stream),
               (wanted ? accumulators : untouched_accumulators));
  }
}

}  // namespace

TEST_CASE("scores: tiles of every shape") {
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4}) {
      CASE(d, b);
      check_tiles({d, b, 8, 8, 2, 4, 64, {70, 0, 33}, 72, true});
      check_tiles({d, b, 6, 7, 1, 16, 32, {31}, 32, false});
    }
}

TEST_CASE("scores: tiles of a trellis of every shape") {
  for (const int states : {4, 8, 16})
    for (const int d : {32, 64, 128, 256})
      for (const int b : {2, 3, 4}) {
        CASE(states, d, b);
        check_tiles({d, b, 8, 8, 2, 2, 64, {70, 0, 33}, 72, true, 0, states});
        check_tiles({d, b, 6, 7, 1, 9, 32, {31}, 32, false, 0, states});
      }
}

TEST_CASE("scores: groups of every size, ragged lengths, pages of every size") {
  for (const std::int32_t group : {1, 3, 8, 9, 16}) {
    CASE(group);
    check_tiles({128, 3, 8, 8, 1, group, 32, {1, 32, 64, 65, 2}, 66, true});
    check_tiles({128, 3, 8, 8, 3, group, 96, {95, 97}, 128, false});
  }
}

TEST_CASE("scores: a long sequence fills a warp's pipeline several times") {
  check_tiles({128, 3, 8, 8, 1, 2, 64, {1111}, 1112, true});
  check_tiles({64, 4, 8, 8, 1, 2, 64, {1100}, 1000, true});
  check_tiles({128, 3, 8, 8, 1, 2, 64, {1111}, 1112, true, 0, 8});
}

TEST_CASE("scores: a warp takes up to 16 tiles where there is work for all") {
  // The table, of which one row is used, says how much work there may be.
  check_tiles({128, 3, 8, 8, 2, 1, 32 * 30, {950}, 950, true, 2300});
}

TEST_CASE("scores: no sequences, and shapes that are rejected") {
  Stream stream;
  const Buffer<std::uint8_t> memory(3200);
  Pages pages = test::record_pages(128, 3, 1, 64, false);
  pages.data = memory.data();
  const auto score = [&](const Parameters& p, const Pages& keys, std::int32_t group,
                         std::size_t stride) {
    score_tiles(stream, macro_constants(p, codebook_rom(p)), keys, {nullptr, 0, 1}, nullptr, group,
                nullptr, nullptr, stride, nullptr, nullptr);
  };
  const Parameters good = parameters_of(128, 3, 8, 8);
  CHECK_NOTHROW(score(good, pages, 4, 64));
  const auto rejected = [&](const Parameters& p, const Pages& keys, std::int32_t group,
                            std::size_t stride, const char* why) {
    CHECK_THROWS_WITH_AS(score(p, keys, group, stride), doctest::Contains(why), DeviceError);
  };
  rejected(parameters_of(128, 3, 9, 8), pages, 4, 64, "query_bits and centroid_bits are 9 and 8");
  rejected(parameters_of(128, 3, 8, 10), pages, 4, 64, "at most 8 fit");
  rejected(parameters_of(128, 4, 8, 8), pages, 4, 64, "the constants are of head_dim 128");
  rejected(good, pages, 0, 64, "1..16");
  rejected(good, pages, 17, 64, "1..16");
  rejected(good, pages, 4, 63, "even");
  Pages values = pages;
  values.values = true;
  rejected(good, values, 4, 64, "no pages of key records");
}
