#include <set>
#include <stdexcept>
#include <string>

#include "axelram/hsiao.hpp"
#include "check.hpp"
#include "golden/code_properties.hpp"

using namespace axelram;
using namespace code_properties;

namespace {

/// Words of `bits` bits and odd weight >= 3.
int available(int bits) { return (1 << (bits - 1)) - bits; }

int binomial(int n, int k) {
  int result = 1;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

/// Least number of ones that k distinct words of odd weight >= 3 can have.
int least_ones(int bits, int k) {
  int ones = 0;
  for (int w = 3; k > 0; w += 2) {
    const int taken = std::min(k, binomial(bits, w));
    ones += taken * w;
    k -= taken;
  }
  return ones;
}

std::vector<int> row_loads(const std::vector<std::uint32_t>& columns, int bits) {
  std::vector<int> loads(static_cast<std::size_t>(bits));
  for (const std::uint32_t column : columns)
    for (int j = 0; j < bits; ++j) loads[static_cast<std::size_t>(j)] += bit(column, j);
  return loads;
}

/// Codewords of weight 4: sets of four columns that cancel. Each is two pairs in three ways.
int fours(const std::vector<std::uint32_t>& h) {
  std::map<std::uint32_t, int> pairs;
  for (std::size_t a = 0; a < h.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) ++pairs[h[a] ^ h[b]];
  int count = 0;
  for (const auto& [sum, equal] : pairs) count += equal * (equal - 1) / 2;
  return count / 3;
}

}  // namespace

TEST_CASE(
    "Hsiao columns: distinct, odd, as light as can be, rows within one, for every legal code") {
  for (int bits = 3; bits <= 12; ++bits)
    for (int k = 1; k <= std::min(64, available(bits)); ++k) {
      CASE(bits, k);
      const std::vector<std::uint32_t> h = hsiao_columns(bits, k);
      REQUIRE(h.size() == static_cast<std::size_t>(k));
      REQUIRE(std::set<std::uint32_t>(h.begin(), h.end()).size() == h.size());
      int ones = 0;
      for (std::size_t i = 0; i < h.size(); ++i) {
        CASE(i);
        REQUIRE((h[i] >> bits) == 0);
        REQUIRE(weight(h[i]) % 2 == 1);
        REQUIRE(weight(h[i]) >= 3);
        if (i > 0) REQUIRE(weight(h[i]) >= weight(h[i - 1]));
        ones += weight(h[i]);
      }
      REQUIRE(ones == least_ones(bits, k));
      const std::vector<int> loads = row_loads(h, bits);
      const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      REQUIRE(*most - *least <= 1);
      REQUIRE_SAME(hsiao_columns(bits, k), h);
    }
}

TEST_CASE("Hsiao codes have distance 4: no one, two or three columns of H cancel, some four do") {
  for (const char* name : {"hsiao_72_64", "hsiao_39_32", "hsiao_22_16", "hsiao_4_1", "hsiao_8_4",
                           "hsiao_16_11", "hsiao_64_57", "hsiao_76_64"}) {
    CASE(name);
    const std::vector<std::uint32_t> h = columns(make_code(name));
    std::set<std::uint32_t> pairs;
    bool four = false;
    for (std::size_t a = 0; a < h.size(); ++a) {
      CASE(a);
      REQUIRE(h[a] != 0);
      for (std::size_t b = 0; b < a; ++b) {
        CASE(b);
        REQUIRE(h[a] != h[b]);
        for (std::size_t c = 0; c < b; ++c) REQUIRE_AT(c, (h[a] ^ h[b] ^ h[c]) != 0);
        four = !pairs.insert(h[a] ^ h[b]).second || four;  // two pairs of equal sum are disjoint
      }
    }
    CHECK(four);
  }
}

TEST_CASE("every double error is detected by a Hsiao code, every single one corrected") {
  for (const char* name : {"hsiao_72_64", "hsiao_39_32", "hsiao_22_16"}) {
    CASE(name);
    const Code code = make_code(name);
    const std::vector<std::uint32_t> h = columns(code);
    for (std::size_t a = 0; a < h.size(); ++a) {
      CASE(a);
      REQUIRE(code.patterns[h[a]].status == WordStatus::corrected);
      for (std::size_t b = 0; b < a; ++b)
        REQUIRE_AT(b, code.patterns[h[a] ^ h[b]].status == WordStatus::detected);
    }
  }
}

TEST_CASE("ones of H as Hsiao's paper counts them: 54, 103 and 216") {
  const auto ones = [](const char* name) {
    int sum = 0;
    for (const std::uint32_t column : columns(make_code(name))) sum += weight(column);
    return sum;
  };
  CHECK(ones("hsiao_22_16") == 54);
  CHECK(ones("hsiao_39_32") == 103);
  CHECK(ones("hsiao_72_64") == 216);  // 27 in each row
}

TEST_CASE("impossible Hsiao codes") {
  for (int bits = 3; bits <= 7; ++bits) {
    CASE(bits);
    const int most = available(bits);
    CHECK(hsiao_columns(bits, most).size() == static_cast<std::size_t>(most));
    CHECK_THROWS_WITH_AS(hsiao_columns(bits, most + 1),
                         doctest::Contains(("at most " + std::to_string(most) + " ").c_str()),
                         std::invalid_argument);
  }
}

TEST_CASE("the data columns of H of the three codes in use, row j in bit j") {
  using Columns = std::vector<std::uint32_t>;
  CHECK_SAME(make_code("hsiao_22_16").parity_rows,
             Columns{0x31, 0x32, 0x0D, 0x0E, 0x13, 0x15, 0x16, 0x19, 0x1A, 0x1C, 0x23, 0x25, 0x26,
                     0x29, 0x2A, 0x2C});
  CHECK_SAME(make_code("hsiao_39_32").parity_rows,
             Columns{0x64, 0x0B, 0x0D, 0x0E, 0x13, 0x15, 0x16, 0x19, 0x1A, 0x1C, 0x23,
                     0x25, 0x26, 0x29, 0x2A, 0x2C, 0x31, 0x32, 0x34, 0x38, 0x43, 0x45,
                     0x46, 0x49, 0x4A, 0x4C, 0x51, 0x52, 0x54, 0x58, 0x61, 0x62});
  CHECK_SAME(make_code("hsiao_72_64").parity_rows,
             Columns{0x07, 0x0B, 0x0D, 0x0E, 0x13, 0x15, 0x16, 0x19, 0x1A, 0x1C, 0x23, 0x25, 0x26,
                     0x29, 0x2A, 0x2C, 0x31, 0x32, 0x34, 0x38, 0x43, 0x45, 0x46, 0x49, 0x4A, 0x4C,
                     0x51, 0x52, 0x54, 0x58, 0x61, 0x62, 0x64, 0x68, 0x70, 0x83, 0x85, 0x86, 0x89,
                     0x8A, 0x8C, 0x91, 0x92, 0x94, 0x98, 0xA1, 0xA2, 0xA4, 0xA8, 0xB0, 0xC1, 0xC2,
                     0xC4, 0xC8, 0xD0, 0xE0, 0xF8, 0xE3, 0xE5, 0x9E, 0xB9, 0x3E, 0x4F, 0x57});
}

TEST_CASE("Hsiao's (72, 64) against Hamming's: fewer ones, shorter rows, fewer triples put wrong") {
  // Hamming's by the book: column p is the number p of the bit, 0..71, and a one for the parity of
  // all bits.
  std::vector<std::uint32_t> hamming;
  for (std::uint32_t p = 0; p < 72; ++p) hamming.push_back(p | 128);
  const std::vector<std::uint32_t> hsiao = columns(make_code("hsiao_72_64"));
  CHECK_SAME(row_loads(hamming, 8), std::vector<int>{36, 36, 36, 32, 32, 32, 8, 72});
  CHECK_SAME(row_loads(hsiao, 8), std::vector<int>(8, 27));
  // Three hits are taken for one where a fourth column cancels them: four ways a codeword.
  const double triples = binomial(72, 3);
  CHECK(4 * fours(hamming) / triples == doctest::Approx(0.760).epsilon(1e-3));
  CHECK(4 * fours(hsiao) / triples == doctest::Approx(0.564).epsilon(1e-3));
}
