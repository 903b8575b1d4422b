#include "axelram/kernels/scores.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "axelram/codebook.hpp"
#include "axelram/record.hpp"
#include "axelram/score.hpp"
#include "check.hpp"
#include "norm_value.cuh"
#include "paged.hpp"
#include "score.cuh"
#include "tiles.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

/// What golden says of one record and query.
struct Scored {
  std::int64_t acc = 0;
  float score = 0;
  bool saturated = false;
};
template <class Integer>
Scored golden_score(const Parameters& p, const CodebookRom& rom, const Integer* u,
                    std::int32_t exponent, const std::uint8_t* record) {
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(p.head_dim));
  std::uint16_t norm = 0;
  unpack_record_ref(record, p.head_dim, p.index_bits, indices.data(), &norm);
  Scored s;
  for (std::size_t i = 0; i < indices.size(); ++i)
    s.acc += std::int64_t{u[i]} * rom.centroids[indices[i]];
  s.score = axelram::score_ref(s.acc, norm, exponent, &s.saturated);
  return s;
}

Parameters parameters_of(int d, int b, int query_bits, int centroid_bits) {
  Parameters p;
  p.head_dim = d;
  p.index_bits = b;
  p.query_bits = query_bits;
  p.centroid_bits = centroid_bits;
  return p;
}

/// Random, and its most extreme values more often than chance would have them.
template <class Integer>
std::vector<Integer> random_queries(std::size_t count, int query_bits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::int32_t most = (1 << (query_bits - 1)) - 1;
  std::uniform_int_distribution<std::int32_t> any(-most, most);
  std::vector<Integer> u(count);
  for (Integer& x : u)
    x = static_cast<Integer>(random() % 8 == 0 ? (random() % 2 == 0 ? most : -most) : any(random));
  return u;
}

/// Ordinary ones, those at which scores begin to saturate and to underflow, and absurd ones.
std::vector<std::int32_t> exponents_of(std::size_t count, bool plain) {
  const std::vector<std::int32_t> ordinary = {-12, 0, -28, 20, -100, 80};
  const std::vector<std::int32_t> odd = {-12,  -101, 81,    -130,       -140,       -149,
                                         -165, 95,   105,   110,        128,        -200,
                                         200,  9999, -9999, 1000000000, -1000000000};
  std::vector<std::int32_t> exponents;
  for (std::size_t i = 0; i < count; ++i)
    exponents.push_back(plain ? ordinary[i % ordinary.size()] : odd[i % odd.size()]);
  return exponents;
}

void check_records(const Parameters& p, std::size_t queries, std::size_t tokens) {
  Stream stream;
  const CodebookRom rom = codebook_rom(p);
  const auto d = static_cast<std::size_t>(p.head_dim);
  const auto bytes = static_cast<std::size_t>(p.record_bytes());
  const std::vector<std::uint8_t> records = test::random_bytes(tokens * bytes, 3);
  const auto u = random_queries<std::int32_t>(queries * d, p.query_bits, 4);
  const std::vector<std::int32_t> exponents = exponents_of(queries, false);
  std::vector<std::int64_t> accumulators;
  std::vector<float> scores;
  std::uint32_t saturated = 5;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t t = 0; t < tokens; ++t) {
      const Scored s = golden_score(p, rom, u.data() + q * d, std::clamp(exponents[q], -9999, 9999),
                                    records.data() + t * bytes);
      accumulators.push_back(s.acc);
      scores.push_back(s.score);
      saturated += s.saturated ? 1 : 0;
    }
  const Buffer<std::uint8_t> device_records(stream, records);
  const Buffer<std::int32_t> device_u(stream, u), device_exponents(stream, exponents);
  const Buffer<std::int64_t> device_accumulators(queries * tokens);
  const Buffer<float> device_scores(queries * tokens);
  const Buffer<std::uint32_t> device_saturated(stream, std::vector<std::uint32_t>{5});
  score_records(stream, macro_constants(p, rom), device_u.data(), device_exponents.data(), queries,
                device_records.data(), tokens, device_accumulators.data(), device_scores.data(),
                device_saturated.data());
  CHECK(device_accumulators.download(stream) == accumulators);
  CHECK(bits_of(device_scores.download(stream)) == bits_of(scores));
  CHECK(device_saturated.download(stream)[0] == saturated);
  score_records(stream, macro_constants(p, rom), device_u.data(), device_exponents.data(), queries,
                device_records.data(), tokens, nullptr, device_scores.data(), nullptr);
  CHECK(bits_of(device_scores.download(stream)) == bits_of(scores));
}

struct TileCase {
  int d, b, query_bits, centroid_bits;
  std::int32_t heads, group, page_tokens;
  std::vector<std::int32_t> lengths;
  std::size_t stride;
  bool plain;
  std::int32_t max_pages = 0;  ///< of the table as launched; 0: as many as there are
};

void check_tiles(const TileCase& c) {
  Stream stream;
  const Parameters p = parameters_of(c.d, c.b, c.query_bits, c.centroid_bits);
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
      std::vector<std::uint8_t> records = test::random_bytes(keys * bytes, row);
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
    const Buffer<float> device_scores(stream, untouched);
    const Buffer<std::int32_t> device_accumulators(stream, untouched_accumulators);
    score_tiles(stream, macro_constants(p, rom), cache.pages, cache.block_table, lengths.data(),
                c.group, device_u.data(), device_exponents.data(), c.stride, device_scores.data(),
                wanted ? device_accumulators.data() : nullptr);
    CHECK(bits_of(device_scores.download(stream)) == bits_of(scores));
    CHECK(device_accumulators.download(stream) == (wanted ? accumulators : untouched_accumulators));
  }
}

}  // namespace

TEST_CASE("scores: the unit is golden's at every norm and at the ends of the exponents") {
  std::mt19937_64 random(1);
  const std::int64_t most = (std::int64_t{1} << 39) - 1;
  for (std::uint32_t norm = 0; norm < 65536; ++norm)
    for (const std::int32_t e_u : {-12, -150, -160, -190, 60, 78, 100, 9999, -9999}) {
      const int width = static_cast<int>(random() % 40);
      std::int64_t acc = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << width) - 1));
      if (random() % 16 == 0) acc = most;
      if (random() % 2 == 0) acc = -acc;
      const auto bits = static_cast<std::uint16_t>(norm);
      bool golden_saturated = false, saturated = false;
      const float golden = axelram::score_ref(acc, bits, e_u, &golden_saturated);
      const float score = kernels::score_ref(acc, bits, e_u, &saturated);
      REQUIRE(std::bit_cast<std::uint32_t>(score) == std::bit_cast<std::uint32_t>(golden));
      REQUIRE(saturated == golden_saturated);
      const std::int64_t small = acc % (1 << 22);
      for (const std::int32_t plain : {-100, -12, 3, 80}) {
        const float expected = axelram::score_ref(small, bits, plain, &saturated);
        const float fast =
            plain_score(static_cast<float>(small), norm_value(bits), std::ldexp(1.0F, plain));
        REQUIRE(std::bit_cast<std::uint32_t>(fast) == std::bit_cast<std::uint32_t>(expected));
        REQUIRE(!saturated);
      }
    }
  CHECK(plain_exponent(-100));
  CHECK(plain_exponent(80));
  CHECK(!plain_exponent(-101));
  CHECK(!plain_exponent(81));
}

TEST_CASE("scores: the unit saturates beyond FLT_MAX, not at it") {
  const std::int64_t ulp = 0xFFFFFF;  // FLT_MAX = ulp * 2^104
  for (const std::int64_t acc : {ulp << 14, (ulp << 14) + 1, (ulp << 14) + (1 << 13) - 1}) {
    bool golden_saturated = false, saturated = false;
    const std::uint16_t one = 0x3C00;  // 1024 * 2^-10
    const float golden = axelram::score_ref(-acc, one, 90, &golden_saturated);
    CHECK(kernels::score_ref(-acc, one, 90, &saturated) == golden);
    CHECK(saturated == golden_saturated);
    CHECK(saturated == (acc != ulp << 14));
    CHECK(golden == -std::numeric_limits<float>::max());
  }
}

TEST_CASE("scores: natural records, every width") {
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4})
      for (const int bits : {6, 8, 16}) {
        CAPTURE(d);
        CAPTURE(b);
        CAPTURE(bits);
        check_records(parameters_of(d, b, bits, bits), 3, 20);
      }
}

TEST_CASE("scores: natural records, ragged and empty sizes, many blocks") {
  const Parameters p = parameters_of(128, 3, 8, 8);
  check_records(p, 17, 129);
  check_records(p, 8, 256);
  check_records(p, 1, 1);
  check_records(p, 0, 100);
  check_records(p, 100, 0);
}

TEST_CASE("scores: extreme accumulators fit their sums") {
  Stream stream;
  for (const int bits : {8, 12, 13, 16}) {
    const Parameters p = parameters_of(256, 3, bits, bits);
    const CodebookRom rom = codebook_rom(p);
    const std::int32_t most = (1 << (bits - 1)) - 1;
    const std::vector<std::int32_t> u(256, -most), exponents(1, 0);
    std::vector<std::uint8_t> record(static_cast<std::size_t>(p.record_bytes()), 0xFF);
    const Buffer<std::uint8_t> records(stream, record);
    const Buffer<std::int32_t> device_u(stream, u), device_exponents(stream, exponents);
    const Buffer<std::int64_t> accumulators(1);
    const Buffer<float> scores(1);
    score_records(stream, macro_constants(p, rom), device_u.data(), device_exponents.data(), 1,
                  records.data(), 1, accumulators.data(), scores.data(), nullptr);
    CHECK(accumulators.download(stream)[0] == -std::int64_t{256} * most * rom.centroids.back());
  }
}

TEST_CASE("scores: tiles of every shape") {
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4}) {
      CAPTURE(d);
      CAPTURE(b);
      check_tiles({d, b, 8, 8, 2, 4, 64, {70, 0, 33}, 72, true});
      check_tiles({d, b, 6, 7, 1, 16, 32, {31}, 32, false});
    }
}

TEST_CASE("scores: groups of every size, ragged lengths, pages of every size") {
  for (const std::int32_t group : {1, 3, 8, 9, 16}) {
    CAPTURE(group);
    check_tiles({128, 3, 8, 8, 1, group, 32, {1, 32, 64, 65, 2}, 66, true});
    check_tiles({128, 3, 8, 8, 3, group, 96, {95, 97}, 128, false});
  }
}

TEST_CASE("scores: a long sequence fills a warp's pipeline several times") {
  check_tiles({128, 3, 8, 8, 1, 2, 64, {1111}, 1112, true});
  check_tiles({64, 4, 8, 8, 1, 2, 64, {1100}, 1000, true});
}

TEST_CASE("scores: a warp takes up to 16 tiles where there is work for all") {
  // The table, of which one row is used, says how much work there may be.
  check_tiles({128, 3, 8, 8, 2, 1, 32 * 30, {950}, 950, true, 2300});
}

TEST_CASE("scores: no sequences, and shapes that are refused") {
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
  const auto refused = [&](const Parameters& p, const Pages& keys, std::int32_t group,
                           std::size_t stride, const char* why) {
    CHECK_THROWS_WITH_AS(score(p, keys, group, stride), doctest::Contains(why), DeviceError);
  };
  refused(parameters_of(128, 3, 9, 8), pages, 4, 64, "query_bits and centroid_bits are 9 and 8");
  refused(parameters_of(128, 3, 8, 10), pages, 4, 64, "at most 8 fit");
  refused(parameters_of(128, 4, 8, 8), pages, 4, 64, "the constants are of head_dim 128");
  refused(good, pages, 0, 64, "1..16");
  refused(good, pages, 17, 64, "1..16");
  refused(good, pages, 4, 63, "even");
  Pages values = pages;
  values.values = true;
  refused(good, values, 4, 64, "no pages of key records");
}
