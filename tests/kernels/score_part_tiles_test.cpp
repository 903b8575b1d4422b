#include <algorithm>

#include "axelram/kernels/scores.hpp"
#include "check.hpp"
#include "golden_scores.hpp"
#include "paged.hpp"
#include "tiles.hpp"
#include "two_parts.hpp"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

namespace {

struct PartTiles {
  std::int32_t heads, group, page_tokens;
  std::vector<std::int32_t> lengths;
  std::size_t stride;
  std::int32_t max_pages = 0;  ///< of the table as launched; 0: as many as there are
};

/// Scores of records of any bits, some of whose norms are 0, equal golden's to the last bit.
void check_part_tiles(const Parameters& p, const PartTiles& c) {
  CASE(text_of(p));
  Stream stream;
  const CodebookRom rom = codebook_rom(p);
  const auto d = static_cast<std::size_t>(p.head_dim);
  PagedCache cache(stream, part_pages(p, c.heads, c.page_tokens), c.lengths, 8);
  std::vector<std::uint8_t> filled = cache.memory.download(stream);
  const std::size_t rows = c.lengths.size() * static_cast<std::size_t>(c.heads * c.group);
  const auto u = random_queries<std::int8_t>(rows * d, p.query_bits, 4);
  const auto v = random_queries<std::int8_t>(p.prod() ? rows * d : 0, p.query_bits, 5);
  std::vector<std::int32_t> exponents, residual_exponents;
  for (std::size_t row = 0; row < rows; ++row) {
    static constexpr int kExponents[] = {-12, 0, 81, -101, 95, -149, -165, 20, 9000, -9000};
    exponents.push_back(kExponents[row % std::size(kExponents)]);
    residual_exponents.push_back(exponents.back() + static_cast<int>(row % 9));
  }
  std::vector<float> scores(rows * c.stride, 77.0F);
  const auto bytes = static_cast<std::size_t>(p.record_bytes());
  std::size_t row = 0;
  for (std::size_t sequence = 0; sequence < c.lengths.size(); ++sequence)
    for (std::int32_t head = 0; head < c.heads; ++head, row += static_cast<std::size_t>(c.group)) {
      const auto keys = static_cast<std::size_t>(c.lengths[sequence]);
      std::vector<std::uint8_t> records = random_bytes(keys * bytes, row);
      for (std::size_t t = 0; t < keys; ++t) {
        std::uint8_t* const record = records.data() + t * bytes;
        if (t % 7 == 0) std::fill_n(record + bytes - 2, 2, std::uint8_t{0});
        if (t % 5 == 0) std::fill_n(record + bytes - 4, 2, std::uint8_t{0});
        const auto token = static_cast<std::int32_t>(t);
        put_record(
            filled.data() + cache.head_at(static_cast<std::int32_t>(sequence), token, head) +
                static_cast<std::size_t>(token % c.page_tokens / 32) * tile_bytes(cache.pages),
            cache.pages, token % 32, record);
      }
      const std::size_t seen = std::min(keys, c.stride);
      for (std::size_t q = row; q < row + static_cast<std::size_t>(c.group); ++q) {
        const std::vector<std::int32_t> wide(u.begin() + static_cast<std::ptrdiff_t>(q * d),
                                             u.begin() + static_cast<std::ptrdiff_t>((q + 1) * d));
        std::vector<std::int32_t> wide_v(d);
        if (p.prod())
          std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(q * d), d, wide_v.begin());
        const auto parts =
            score_parts_of(p, rom, wide.data(), exponents[q], wide_v.data(), residual_exponents[q]);
        score_parts_ref(parts[0], parts[1], records.data(), seen, scores.data() + q * c.stride,
                        nullptr, nullptr);
      }
    }
  if (c.max_pages != 0) cache.block_table.max_pages = c.max_pages;
  copy_to_device(stream, cache.memory.data(), filled.data(), filled.size());
  const Buffer<std::int8_t> device_u(stream, u), device_v(stream, v);
  const Buffer<std::int32_t> device_exponents(stream, exponents),
      device_residual_exponents(stream, residual_exponents), lengths(stream, c.lengths);
  const Buffer<float> device_scores(stream, std::vector<float>(rows * c.stride, 77.0F));
  TileQueries queries{device_u.data(), device_exponents.data()};
  if (p.prod()) {
    queries.v8 = device_v.data();
    queries.residual_exponents = device_residual_exponents.data();
  }
  score_part_tiles(stream, macro_constants(p, rom), cache.pages, cache.block_table, lengths.data(),
                   c.group, queries, c.stride, device_scores.data());
  REQUIRE(test::same_bits(device_scores.download(stream), scores));
}

}  // namespace

TEST_CASE("two parts: scores of tiles of every kind and width") {
  for (const int d : {32, 64, 128, 256})
    for (Parameters p : all_two_parts(d)) {
      CASE(d, p);
      if (d == 32 && p.split()) continue;  // no tiles
      check_part_tiles(p, {2, 4, 64, {70, 0, 33}, 72});
      p.query_bits = 6;
      p.centroid_bits = 7;
      check_part_tiles(p, {1, 16, 32, {31}, 32});
    }
}

TEST_CASE("two parts: scores of groups of every size, ragged lengths, pages of every size") {
  for (const Parameters& p : some_two_parts(128, 1)) {
    CASE(p);
    for (const std::int32_t group : {1, 3, 8, 9, 16}) {
      CASE(group);
      check_part_tiles(p, {1, group, 32, {1, 32, 64, 65, 2}, 66});
    }
    check_part_tiles(p, {3, 2, 96, {95, 97}, 128});
    check_part_tiles(p, {1, 2, 64, {1111}, 1000});
    // The table, of which one row is used, says how much work there may be.
    check_part_tiles(p, {2, 1, 32 * 30, {950}, 950, 2300});
  }
}

TEST_CASE("two parts: tiles that cannot be scored are rejected by name") {
  Stream stream;
  const Buffer<std::uint8_t> memory(6400);
  const auto rejected = [&](const Parameters& p, Pages keys, const TileQueries& queries,
                            std::int32_t sequences, const char* why) {
    keys.data = memory.data();
    CHECK_THROWS_WITH_AS(
        score_part_tiles(stream, macro_constants(p, codebook_rom(p)), keys, {nullptr, sequences, 1},
                         nullptr, 1, queries, 64, nullptr),
        doctest::Contains(why), DeviceError);
  };
  const Parameters prod = prod_of(128, 3);
  rejected(parameters_of(128, 3, 8, 8), record_pages(128, 3, 1, 64, false), {}, 0, "one part");
  rejected(prod, part_pages(prod_of(128, 4), 1, 64), {}, 0, "index_bits 2 and 1");
  rejected(prod, record_pages(128, 2, 1, 64, false), {}, 0, "index_bits 2 and 1");
  rejected(prod, part_pages(prod, 1, 64), {}, 1, "with prod v");
}
