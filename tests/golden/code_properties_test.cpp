#include "golden/code_properties.hpp"

#include <random>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "golden/code_examples.hpp"
#include "golden/fields.hpp"

using namespace axelram;
using namespace code_properties;

namespace {

const std::vector<std::string> kPrinted = {"hamming74", "hamming84", "golay24"};
const std::vector<std::string> kAll = code_examples();

using Enumerator = std::map<int, int>;

bool self_orthogonal(const Code& code) {
  for (const Row& a : generator(code))
    for (const Row& b : generator(code))
      if ((a & b).count() % 2 != 0) return false;
  return true;
}

/// Words within distance `radius` of exactly one, and of at least one, codeword.
struct Spheres {
  std::size_t once = 0, covered = 0, all = 0;
  bool perfect() const { return once == all; }
};

Spheres spheres(const std::vector<std::uint32_t>& words, int n, int radius) {
  std::vector<std::uint8_t> hits(std::size_t{1} << n);
  for (int w = 0; w <= radius; ++w)
    for_each_of_weight(n, w, [&](std::uint32_t error) {
      for (const std::uint32_t word : words) ++hits[word ^ error];
    });
  Spheres result{.all = hits.size()};
  for (const std::uint8_t h : hits) {
    result.once += h == 1;
    result.covered += h != 0;
  }
  return result;
}

}  // namespace

TEST_CASE("dimensions, and as many rows as data bits") {
  const std::map<std::string, std::pair<int, int>> expected = {
      {"hamming74", {7, 4}},     {"hamming84", {8, 4}},     {"golay24", {24, 12}},
      {"hsiao_72_64", {72, 64}}, {"hsiao_39_32", {39, 32}}, {"hsiao_22_16", {22, 16}}};
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    CHECK(code.name == name);
    CHECK_SAME(std::pair(code.n, code.k), expected.at(name));
    CHECK(code.parity_rows.size() == static_cast<std::size_t>(code.k));
    for (const std::uint32_t row : code.parity_rows) CHECK_AT(row, (row >> code.check_bits()) == 0);
    CHECK(code.patterns.size() == (std::size_t{1} << code.check_bits()));
  }
}

TEST_CASE("G times the transpose of H is zero, and encoding is d times G with d in front") {
  std::mt19937_64 rng(1);
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    const std::vector<Row> g = generator(code), h = parity_check(code);
    for (const Row& a : g)
      for (const Row& b : h) {
        CASE(a, b);
        CHECK((a & b).count() % 2 == 0);
      }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - code.k);
    for (int trial = 0; trial < 2000; ++trial) {
      CASE(trial);
      const std::uint64_t data = rng() & mask;
      Row expected;
      for (int i = 0; i < code.k; ++i)
        if (bit(data, i)) expected ^= g[static_cast<std::size_t>(i)];
      const Word word = encode_ref(code, data);
      REQUIRE(word.data == data);
      for (int j = 0; j < code.check_bits(); ++j) {
        CASE(j);
        REQUIRE_SAME(bit(word.check, j), expected[static_cast<std::size_t>(code.k + j)]);
      }
      REQUIRE(syndrome_ref(code, word) == 0);
    }
  }
}

TEST_CASE("syndromes are sums of columns of H") {
  std::mt19937_64 rng(2);
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    const std::vector<std::uint32_t> h = columns(code);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - code.k);
    for (int trial = 0; trial < 2000; ++trial) {
      CASE(trial);
      const Word received = {rng() & mask,
                             static_cast<std::uint32_t>(rng()) & ((1U << code.check_bits()) - 1)};
      std::uint32_t expected = 0;
      for (int i = 0; i < code.n; ++i)
        if (i < code.k ? bit(received.data, i) : bit(received.check, i - code.k))
          expected ^= h[static_cast<std::size_t>(i)];
      REQUIRE(syndrome_ref(code, received) == expected);
    }
  }
}

TEST_CASE("weight enumerators, and with them the minimum distances 3, 4 and 8") {
  CHECK_SAME(weights(codewords(make_code("hamming74"))),
             Enumerator{{0, 1}, {3, 7}, {4, 7}, {7, 1}});
  CHECK_SAME(weights(codewords(make_code("hamming84"))), Enumerator{{0, 1}, {4, 14}, {8, 1}});
  CHECK_SAME(weights(codewords(make_code("golay24"))),
             Enumerator{{0, 1}, {8, 759}, {12, 2576}, {16, 759}, {24, 1}});
}

TEST_CASE("minimum distance between pairs of codewords, not by linearity") {
  const std::map<std::string, int> expected = {{"hamming74", 3}, {"hamming84", 4}, {"golay24", 8}};
  for (const std::string& name : kPrinted) {
    CASE(name);
    const std::vector<std::uint32_t> words = codewords(make_code(name));
    int least = 99;
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) least = std::min(least, weight(words[i] ^ words[j]));
    CHECK(least == expected.at(name));
  }
}

TEST_CASE("hamming84 and golay24 are their own duals; hamming74 and the Hsiao codes are not") {
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    const bool self_dual = self_orthogonal(code) && code.n == 2 * code.k;
    CHECK(self_dual == (name == "hamming84" || name == "golay24"));
  }
}

TEST_CASE("correctable patterns: 7 + 1, 8 + 1 and 2325, every one of its own syndrome") {
  struct Expected {
    std::string name;
    int t, clean, corrected, parity_only, detected;
  };
  const std::vector<Expected> table = {
      {"hamming74", 1, 1, 7, 0, 0},           {"hamming84", 1, 1, 7, 1, 7},
      {"golay24", 3, 1, 2324, 0, 1771},       {"hsiao_72_64", 1, 1, 72, 0, 256 - 73},
      {"hsiao_39_32", 1, 1, 39, 0, 128 - 40}, {"hsiao_22_16", 1, 1, 22, 0, 64 - 23}};
  for (const Expected& expected : table) {
    CASE(expected.name);
    const Code code = make_code(expected.name);
    CHECK(code.correctable == expected.t);
    int count[4] = {};
    for (std::uint32_t z = 0; z < code.patterns.size(); ++z) {
      CASE(z);
      const ErrorPattern& pattern = code.patterns[z];
      ++count[static_cast<int>(pattern.status)];
      const bool left = pattern.status == WordStatus::detected;
      REQUIRE(syndrome_ref(code, pattern.error) == (left ? 0 : z));
      const int w = __builtin_popcountll(pattern.error.data) + weight(pattern.error.check);
      REQUIRE(w <= code.correctable);
      REQUIRE((w == 0) == (left || z == 0));
    }
    CHECK(count[0] == expected.clean);
    CHECK(count[1] == expected.corrected);
    CHECK(count[2] == expected.parity_only);
    CHECK(count[3] == expected.detected);
  }
  const Code hamming84 = make_code("hamming84");
  CHECK(hamming84.patterns[8].status == WordStatus::parity_only);
  CHECK_SAME(hamming84.patterns[8].error, Word{0, 8});
}

TEST_CASE("hamming74 is perfect, hamming84 and golay24 are not, golay24 without its last bit is") {
  CHECK(spheres(codewords(make_code("hamming74")), 7, 1).perfect());

  const Spheres hamming84 = spheres(codewords(make_code("hamming84")), 8, 1);
  CHECK(hamming84.covered == 16 * 9);
  CHECK_FALSE(hamming84.perfect());

  std::vector<std::uint32_t> golay = codewords(make_code("golay24"));
  const Spheres extended = spheres(golay, 24, 3);
  CHECK(extended.covered == 4096 * 2325);
  CHECK(extended.once == extended.covered);
  CHECK_FALSE(extended.perfect());

  for (int punctured : {0, 11, 12, 23}) {
    CASE(punctured);  // any bit will do
    std::vector<std::uint32_t> words;
    for (const std::uint32_t word : golay)
      words.push_back((word & ((1U << punctured) - 1)) | word >> (punctured + 1) << punctured);
    CHECK(weights(words).upper_bound(0)->first == 7);
    CHECK(spheres(words, 23, 3).perfect());
  }
}

TEST_CASE("names that are no code, and codes that cannot be") {
  for (const char* name :
       {"", "none", "hamming", "Hamming74", "hamming74 ", "golay23", "hsiao", "hsiao_", "hsiao_72",
        "hsiao_72_", "hsiao__64", "hsiao_072_64", "hsiao_72_064", "hsiao_+72_64", "hsiao_72_64_",
        "hsiao_72_64 ", "hsiao_72_6x", "hsiao_99999999999_64", "Hsiao_72_64"}) {
    CASE(name);
    CHECK_THROWS_WITH_AS(make_code(name), doctest::Contains("known are hamming74"),
                         std::invalid_argument);
  }
  for (const char* name : {"hsiao_8_0", "hsiao_73_65", "hsiao_66_64", "hsiao_77_64", "hsiao_4_8",
                           "hsiao_-8_-16", "hsiao_2147483647_-2"}) {
    CASE(name);
    CHECK_THROWS_WITH_AS(make_code(name), doctest::Contains("1..64"), std::invalid_argument);
  }
  for (const char* name : {"hsiao_5_2", "hsiao_9_5", "hsiao_17_12", "hsiao_33_27", "hsiao_65_58"}) {
    CASE(name);
    CHECK_THROWS_WITH_AS(make_code(name), doctest::Contains("at most"), std::invalid_argument);
  }
}
