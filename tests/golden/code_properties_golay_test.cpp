#include <array>
#include <set>

#include "check.hpp"
#include "golden/code_properties.hpp"
#include "golden/fields.hpp"

using namespace axelram;
using namespace code_properties;

namespace {

using Matrix = std::array<std::array<int, 12>, 12>;

Matrix printed_b() {
  const Code code = make_code("golay24");
  Matrix b{};
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) b[i][j] = bit(code.parity_rows[i], static_cast<int>(j));
  return b;
}

/// The circulant on `residues` (row i shifted left by i) bordered by ones, with a zero corner.
Matrix bordered_circulant(const std::set<int>& residues) {
  Matrix b{};
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      b[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          i == 11 || j == 11 ? i != j : static_cast<int>(residues.count((i + j) % 11));
  return b;
}

std::map<int, int> enumerator(const Matrix& b) {
  Code code;
  code.n = 24;
  code.k = 12;
  for (const auto& row : b) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 12; ++j) bits |= static_cast<std::uint32_t>(row[j]) << j;
    code.parity_rows.push_back(bits);
  }
  return weights(codewords(code));
}

}  // namespace

TEST_CASE("B is symmetric and its own inverse (ECC paper, equations 31 and 32)") {
  const Matrix b = printed_b();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      CASE(i, j);
      CHECK(b[i][j] == b[j][i]);
      int product = 0;
      for (std::size_t k = 0; k < 12; ++k) product ^= b[i][k] & b[j][k];
      CHECK(product == (i == j));
    }
}

TEST_CASE("B is the circulant of zero and the quadratic residues modulo 11, bordered") {
  std::set<int> residues;
  for (int x = 1; x <= 10; ++x) residues.insert(x * x % 11);
  CHECK_SAME(residues, std::set<int>{1, 3, 4, 5, 9});
  // As described (section 5.4.2), membership in the residues alone: distance 7, not doubly even.
  const std::map<int, int> described = enumerator(bordered_circulant(residues));
  CHECK(described.upper_bound(0)->first == 7);
  CHECK(described.at(7) == 77);
  residues.insert(0);
  CHECK_SAME(bordered_circulant(residues), printed_b());
}

TEST_CASE("covering radius 4: 1771 cosets of weight 4, each with six leaders") {
  const Cosets golay = cosets(make_code("golay24"));
  CHECK(golay.covering_radius() == 4);
  std::map<int, int> by_weight;
  for (std::size_t z = 0; z < 4096; ++z) {
    CASE(z);
    ++by_weight[golay.lightest[z]];
    REQUIRE(golay.leaders[z] == (golay.lightest[z] == 4 ? 6 : 1));
  }
  CHECK_SAME(by_weight, std::map<int, int>{{0, 1}, {1, 24}, {2, 276}, {3, 2024}, {4, 1771}});
}

TEST_CASE("covering radii of the Hamming codes: 1 and 2") {
  const Cosets hamming74 = cosets(make_code("hamming74"));
  CHECK(hamming74.covering_radius() == 1);
  const Cosets hamming84 = cosets(make_code("hamming84"));
  CHECK(hamming84.covering_radius() == 2);
  for (std::size_t z = 0; z < 16; ++z)
    CHECK_AT(z, hamming84.leaders[z] == (hamming84.lightest[z] == 2 ? 4 : 1));
}

TEST_CASE("the 759 octads are a Steiner system S(5, 8, 24): every five bits lie in exactly one") {
  std::vector<std::uint32_t> octads;
  for (const std::uint32_t word : codewords(make_code("golay24")))
    if (weight(word) == 8) octads.push_back(word);
  REQUIRE(octads.size() == 759);
  int subsets = 0, in_one = 0;
  for_each_of_weight(24, 5, [&](std::uint32_t five) {
    ++subsets;
    int containing = 0;
    for (const std::uint32_t octad : octads) containing += (octad & five) == five;
    in_one += containing == 1;
  });
  CHECK(subsets == 42504);
  CHECK(in_one == 42504);
}

TEST_CASE("decoding golay24: four hits are always flagged, five never, six mostly") {
  // Five hits lie in an octad, so three more bits reach a codeword: always put wrong. Odd weights
  // of five and more meet an odd coset, whose leader has weight 1 or 3: never flagged.
  const Code code = make_code("golay24");
  std::map<int, std::map<WordStatus, int>> found;
  for (const int w : {1, 2, 3, 4, 5, 6, 7}) {
    CASE(w);
    for_each_of_weight(24, w, [&](std::uint32_t error) {
      const Decoded decoded = decode_ref(code, split(code, error));
      ++found[w][decoded.status];
      if (w <= 3) REQUIRE_SAME(decoded.word, Word{});
      if (decoded.status != WordStatus::detected) REQUIRE((decoded.word == Word{}) == (w <= 3));
    });
  }
  CHECK_SAME(found[4], std::map<WordStatus, int>{{WordStatus::detected, 10626}});
  CHECK_SAME(found[5], std::map<WordStatus, int>{{WordStatus::corrected, 42504}});
  CHECK_SAME(found[6], std::map<WordStatus, int>{{WordStatus::corrected, 759 * 28},
                                                 {WordStatus::detected, 134596 - 759 * 28}});
  CHECK_SAME(found[7], std::map<WordStatus, int>{{WordStatus::corrected, 346104}});
}
