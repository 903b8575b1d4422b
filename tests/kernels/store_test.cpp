#include "axelram/kernels/store.hpp"

#include "axelram/record.hpp"
#include "check.hpp"
#include "paged.hpp"
#include "tiles.hpp"
#include "two_parts.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

struct Row {
  std::int32_t sequence, position;
};

/// Every token of the sequences, or a random half of them, in random order or as they come.
std::vector<Row> rows_of(const std::vector<std::int32_t>& lengths, bool half, bool shuffled) {
  std::mt19937_64 random(7);
  std::vector<Row> rows;
  for (std::size_t s = 0; s < lengths.size(); ++s)
    for (std::int32_t t = 0; t < lengths[s]; ++t)
      if (!half || random() % 2 == 0) rows.push_back({static_cast<std::int32_t>(s), t});
  if (shuffled) std::shuffle(rows.begin(), rows.end(), random);
  return rows;
}

struct DevicePlaces {
  Buffer<std::int32_t> sequence, position;
  TokenPositions places;

  DevicePlaces(Stream& stream, const std::vector<Row>& rows) {
    std::vector<std::int32_t> s, p;
    for (const Row& row : rows) {
      s.push_back(row.sequence);
      p.push_back(row.position);
    }
    sequence = Buffer<std::int32_t>(stream, s);
    position = Buffer<std::int32_t>(stream, p);
    places = {sequence.data(), position.data(), rows.size()};
  }
};

/// Stores rows of random bytes: the whole memory is then as the definition of the layout makes it,
/// and loading the rows gives them back.
void check_store(const Pages& shape, std::size_t row_bytes,
                 const std::vector<std::int32_t>& lengths, const std::vector<Row>& rows) {
  Stream stream;
  test::PagedCache cache(stream, shape, lengths, 5);
  const auto heads = static_cast<std::size_t>(shape.heads);
  const std::vector<std::uint8_t> bytes = test::random_bytes(rows.size() * heads * row_bytes, 11);
  std::vector<std::uint8_t> expected = cache.memory.download(stream);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t h = 0; h < heads; ++h) {
      const std::uint8_t* const row = bytes.data() + (i * heads + h) * row_bytes;
      const std::int32_t token = rows[i].position % shape.page_tokens;
      std::uint8_t* const head = expected.data() + cache.head_at(rows[i].sequence, rows[i].position,
                                                                 static_cast<std::int32_t>(h));
      if (shape.kind == RowKind::records)
        test::put_record(head + static_cast<std::size_t>(token / 32) * tile_bytes(shape), shape,
                         token % 32, row);
      else
        std::copy(row, row + row_bytes, head + token * shape.row_stride);
    }
  const Buffer<std::uint8_t> device_rows(stream, bytes);
  const DevicePlaces device(stream, rows);
  store_rows(stream, cache.pages, cache.block_table, device.places, device_rows.data(), row_bytes);
  CHECK_SAME(cache.memory.download(stream), expected);
  const Buffer<std::uint8_t> loaded(bytes.size());
  load_rows(stream, cache.pages, cache.block_table, device.places, loaded.data(), row_bytes);
  CHECK_SAME(loaded.download(stream), bytes);
}

}  // namespace

TEST_CASE("store: records of every shape go where the layout says, and nothing else changes") {
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const bool values : {false, true}) {
        CASE(d, b, values);
        const Pages pages = test::record_pages(d, b, 2, 32, values);
        const auto bytes = static_cast<std::size_t>(record_bytes(d, b));
        const std::vector<std::int32_t> lengths = {40, 7};
        check_store(pages, bytes, lengths, rows_of(lengths, true, true));
        check_store(pages, bytes, lengths, rows_of(lengths, false, false));
      }
}

TEST_CASE("store: records of two parts of every shape, in order and not") {
  for (const int d : {32, 64, 128, 256})
    for (const Parameters& p : test::all_two_parts(d)) {
      if (p.trellis() || (p.split() && d == 32)) continue;  // of one layout; too small
      CASE(d, test::text_of(p));
      const auto bytes = static_cast<std::size_t>(p.record_bytes());
      const std::vector<std::int32_t> lengths = {40, 7};
      for (const bool values : {false, true}) {
        CASE(values);
        const Pages pages = test::part_pages(p, 2, 64, values);
        check_store(pages, bytes, lengths, rows_of(lengths, true, true));
        check_store(pages, bytes, lengths, rows_of(lengths, false, false));
      }
    }
}

TEST_CASE("store: pages of two parts that do not exist are rejected by name") {
  Stream stream;
  const auto rejected = [&](Pages pages, const char* why) {
    const Buffer<std::uint8_t> memory(1);
    pages.data = memory.data();
    CHECK_THROWS_WITH_AS(store_rows(stream, pages, {}, {}, nullptr,
                                    static_cast<std::size_t>(pages.record_bits() / 8)),
                         doctest::Contains(why), DeviceError);
  };
  rejected(test::part_pages(test::split_of(32, 4, 2, 0), 1, 32), "a head_dim of 64 or more");
  Pages pages = test::part_pages(test::prod_of(128, 3), 1, 32);
  pages.kind = RowKind::codewords;
  rejected(pages, "only records have two parts");
  pages.kind = RowKind::records;
  pages.index_bits = 5;
  pages.head_bytes *= 2;
  rejected(pages, "must be 1 to 4");
}

TEST_CASE("store: whole tiles and ragged ends, pages of several tiles, one row, none") {
  for (const bool values : {false, true}) {
    CASE(values);
    const std::vector<std::int32_t> lengths = {64, 0, 33, 96};
    const Pages pages = test::record_pages(128, 3, 1, 64, values);
    check_store(pages, 50, lengths, rows_of(lengths, false, false));
    check_store(pages, 50, lengths, {{3, 95}});
    check_store(pages, 50, lengths, {});
  }
}

TEST_CASE("store: 32 rows that are nearly a tile in order") {
  std::vector<Row> reversed, two_tiles;
  for (std::int32_t t = 0; t < 32; ++t) {
    reversed.push_back({0, 31 - t});
    two_tiles.push_back({t < 16 ? 0 : 1, t});
  }
  for (const bool values : {false, true}) {
    CASE(values);
    const Pages pages = test::record_pages(128, 3, 1, 32, values);
    check_store(pages, 50, {32, 32}, reversed);
    check_store(pages, 50, {32, 32}, two_tiles);
  }
}

TEST_CASE("store: FP16 rows and codewords of even and odd sizes") {
  const std::vector<std::int32_t> lengths = {40, 3};
  for (const int gap : {0, 1, 6}) {
    CASE(gap);
    for (const bool half : {false, true}) {
      CASE(half);
      const std::vector<Row> rows = rows_of(lengths, half, half);
      check_store(test::row_pages(RowKind::fp16, 64, 128, 2 * gap, 3, 32), 128, lengths, rows);
      check_store(test::row_pages(RowKind::codewords, 128, 102, gap, 3, 32), 102, lengths, rows);
      check_store(test::row_pages(RowKind::codewords, 32, 25, gap, 3, 32), 25, lengths, rows);
    }
  }
}

TEST_CASE("store: shapes that contradict each other are rejected") {
  Stream stream;
  const Buffer<std::uint8_t> memory(1 << 14), rows(4096);
  Pages good = test::record_pages(128, 3, 1, 64, false);
  good.data = memory.data();
  const auto rejected = [&](const Pages& pages, std::size_t bytes, const char* why) {
    CHECK_THROWS_WITH_AS(store_rows(stream, pages, {}, {}, rows.data(), bytes),
                         doctest::Contains(why), DeviceError);
    CHECK_THROWS_AS(load_rows(stream, pages, {}, {}, rows.data(), bytes), DeviceError);
  };
  rejected(good, 51, "rows of 51 bytes; 50 are right");
  const auto with = [&](auto member, auto value) {
    Pages pages = good;
    pages.*member = value;
    return pages;
  };
  rejected(with(&Pages::head_dim, 96), 50, "head_dim must be 32, 64, 128 or 256");
  rejected(with(&Pages::page_tokens, 48), 50, "multiple of 32");
  rejected(with(&Pages::index_bits, 5), 50, "index_bits");
  rejected(with(&Pages::heads, 0), 50, "a head");
  rejected(with(&Pages::head_bytes, 3072), 50, "at least 3200");
  rejected(with(&Pages::data, memory.data() + 64), 50, "128-byte aligned");
  CHECK_THROWS_WITH_AS(store_rows(stream, good, {}, {}, rows.data() + 2, 50),
                       doctest::Contains("16-byte aligned"), DeviceError);
  Pages plain = test::row_pages(RowKind::codewords, 128, 100, 0, 1, 32);
  plain.data = memory.data();
  rejected(plain, 102, "at most row_stride, 100, fit");
}
