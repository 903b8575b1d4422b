#include "axelram/query_rounding.hpp"

#include <algorithm>
#include <random>

#include "axelram/fast.hpp"
#include "axelram/score.hpp"
#include "axelram/score_table.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

void check_query(const std::vector<std::int32_t>& y, int query_bits) {
  std::int32_t max = 0;
  for (const std::int32_t value : y) max = std::max(max, std::abs(value));
  int shift = 0;
  while (max >> shift >= 1 << (query_bits - 1)) ++shift;

  std::vector<std::int32_t> u(y.size());
  REQUIRE(round_query_ref(y.data(), static_cast<int>(y.size()), query_bits, u.data()) == shift);
  const double limit = (1 << (query_bits - 1)) - 1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    CASE(i);
    const double rounded = std::nearbyint(std::ldexp(y[i], -shift));
    REQUIRE(u[i] == std::max(-limit, std::min(limit, rounded)));
  }
}

}  // namespace

TEST_CASE("query rounding equals the definition") {
  oracle::Rng rng(14);
  for (int query_bits = 6; query_bits <= 16; ++query_bits)
    for (int trial = 0; trial < 300; ++trial) {
      CASE(query_bits, trial);
      const int limit = (1 << oracle::uniform(rng, 0, 28)) - oracle::uniform(rng, 0, 1);
      std::vector<std::int32_t> y(64);
      for (std::int32_t& value : y) value = oracle::uniform(rng, -limit, limit);
      check_query(y, query_bits);
    }
}

TEST_CASE("rounding up to 2^(WQ-1) saturates, on both sides") {
  // 255 / 2 = 127.5 rounds to 128 > 127 at 8 bits.
  const std::int32_t y[] = {255, -255, 253, 1, -1, 3, 0};
  std::int32_t u[7];
  CHECK(round_query_ref(y, 7, 8, u) == 1);
  const std::vector<std::int32_t> expected = {127, -127, 126, 0, 0, 2, 0};
  CHECK_SAME(std::vector<std::int32_t>(u, u + 7), expected);
}

TEST_CASE("small queries are not shifted, zero stays zero") {
  const std::int32_t y[] = {127, -127, 5, 0};
  std::int32_t u[4];
  CHECK(round_query_ref(y, 4, 8, u) == 0);
  CHECK_SAME(std::vector<std::int32_t>(u, u + 4), std::vector<std::int32_t>(y, y + 4));
  const std::int32_t zero[] = {0, 0};
  CHECK(round_query_ref(zero, 2, 8, u) == 0);
  CHECK(u[0] == 0);
  const std::int32_t above[] = {128};
  CHECK(round_query_ref(above, 1, 8, u) == 1);
  CHECK(u[0] == 64);
}

TEST_CASE("the table holds the products, and lookups sum to the dot product") {
  oracle::Rng rng(15);
  for (const int bits : {6, 8, 16})
    for (const int levels : {4, 8, 16}) {
      CASE(bits, levels);
      const int limit = (1 << (bits - 1)) - 1;
      std::vector<std::int32_t> u(256);
      std::vector<std::int32_t> words(static_cast<std::size_t>(levels));
      std::vector<std::uint8_t> indices(256);
      const bool extreme = bits == 16;
      for (std::int32_t& value : u) value = extreme ? -limit : oracle::uniform(rng, -limit, limit);
      for (std::int32_t& word : words) word = extreme ? limit : oracle::uniform(rng, -limit, limit);
      for (std::uint8_t& i : indices)
        i = static_cast<std::uint8_t>(oracle::uniform(rng, 0, levels - 1));
      std::vector<std::int32_t> table(u.size() * words.size());
      score_table_ref(u.data(), 256, words.data(), levels, table.data());
      std::int64_t dot = 0;
      for (std::size_t i = 0; i < u.size(); ++i) {
        CASE(i);
        for (std::size_t j = 0; j < words.size(); ++j)
          CHECK_AT(j, table[i * words.size() + j] == std::int64_t{u[i]} * words[j]);
        dot += std::int64_t{u[i]} * words[indices[i]];
      }
      const std::int64_t acc = accumulate_ref(table.data(), 256, levels, indices.data());
      CHECK(acc == dot);
      CHECK(std::abs(acc) < std::int64_t{1} << 38);
    }
}

TEST_CASE("fast round_query equals round_query_ref") {
  std::mt19937_64 rng(17);
  for (const int d : {32, 33, 128, 256})
    for (int query_bits = 6; query_bits <= 16; ++query_bits)
      for (int width = 0; width <= 31; ++width)
        for (int repeat = 0; repeat < 4; ++repeat) {
          CASE(d, query_bits, width, repeat);
          const std::int64_t limit = (std::int64_t{1} << width) - 1;
          std::vector<std::int32_t> y(static_cast<std::size_t>(d));
          // Multiples of a power of two are full of ties.
          const int zeros = repeat == 0 ? 0 : std::max(0, width - query_bits - repeat + 1);
          for (std::int32_t& value : y) {
            const std::int64_t any =
                std::uniform_int_distribution<std::int64_t>(-limit, limit)(rng);
            value = static_cast<std::int32_t>(any / (std::int64_t{1} << zeros) *
                                              (std::int64_t{1} << zeros));
          }
          std::vector<std::int32_t> expected(y.size()), u(y.size());
          const int shift = round_query_ref(y.data(), d, query_bits, expected.data());
          for (const SimdLevel level : fast_test::levels()) {
            CASE(level);
            std::fill(u.begin(), u.end(), 0);
            CHECK(round_query(y.data(), d, query_bits, u.data(), level) == shift);
            CHECK_SAME(u, expected);
          }
        }
}
