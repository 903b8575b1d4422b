#include "axelram/quantizer.hpp"

#include <algorithm>

#include "axelram/codebook.hpp"
#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

std::vector<std::int32_t> random_boundaries(oracle::Rng& rng, int count) {
  std::vector<std::int32_t> words;
  for (int j = 0; j < count; ++j) words.push_back(oracle::uniform(rng, -200000, 200000));
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

TEST_CASE("indices count the boundaries below, in exact rational arithmetic") {
  oracle::Rng rng(12);
  for (int trial = 0; trial < 400; ++trial) {
    CASE(trial);
    const int count = (1 << oracle::uniform(rng, 2, 4)) - 1;
    const int fraction_bits = oracle::uniform(rng, 10, 16);
    const auto root = static_cast<std::uint32_t>(rng() >> oracle::uniform(rng, 40, 64 - 1));
    const std::vector<std::int32_t> words = random_boundaries(rng, count);
    std::vector<std::int32_t> thresholds(words.size());
    thresholds_ref(words.data(), count, root, fraction_bits, thresholds.data());

    // Around every threshold, and beyond the outermost.
    std::vector<std::int32_t> y;
    for (const std::int32_t t : thresholds)
      for (int offset = -2; offset <= 2; ++offset) y.push_back(t + offset);
    y.push_back(1 << 28);
    y.push_back(-(1 << 28));
    y.push_back(0);
    const int d = static_cast<int>(y.size());
    std::vector<std::uint8_t> indices(y.size());
    quantize_ref(y.data(), d, thresholds.data(), count, indices.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      CASE(i);
      int expected = 0;
      for (const std::int32_t word : words)
        expected += static_cast<oracle::Int128>(y[i]) * (1 << fraction_bits) >
                    static_cast<oracle::Int128>(word) * root;
      REQUIRE(indices[i] == expected);
    }
  }
}

TEST_CASE("thresholds are floors") {
  const std::int32_t words[] = {-3, -1, 0, 1, 3};
  std::int32_t thresholds[5];
  thresholds_ref(words, 5, 1, 1, thresholds);
  const std::vector<std::int32_t> expected = {-2, -1, 0, 0, 1};
  CHECK_SAME(std::vector<std::int32_t>(thresholds, thresholds + 5), expected);
}

TEST_CASE("a tie takes the lower index; an all-zero key takes index 0") {
  const std::int32_t thresholds[] = {-5, 0, 5};
  const std::int32_t y[] = {-6, -5, -4, 0, 1, 5, 6};
  std::uint8_t indices[7];
  quantize_ref(y, 7, thresholds, 3, indices);
  const std::vector<std::uint8_t> expected = {0, 0, 1, 1, 2, 2, 3};
  CHECK_SAME(std::vector<std::uint8_t>(indices, indices + 7), expected);

  const CodebookRom rom = codebook_rom(Parameters{});
  std::int32_t zero_thresholds[7];
  thresholds_ref(rom.boundaries.data(), 7, 0, 13, zero_thresholds);
  const std::int32_t zero = 0;
  std::uint8_t index = 9;
  quantize_ref(&zero, 1, zero_thresholds, 7, &index);
  CHECK(index == 0);
}

TEST_CASE("thresholds of every legal ROM fit 32 bits at the largest root") {
  for (int b = 2; b <= 4; ++b)
    for (int fraction_bits = 10; fraction_bits <= 16; ++fraction_bits) {
      CASE(b, fraction_bits);
      const Codebook codebook = solve_codebook(CodebookKind::gaussian, 128, b);
      for (const std::int32_t word : boundary_words(codebook, fraction_bits)) {
        CASE(word);
        const std::uint32_t root = (1u << 24) - 1;
        std::int32_t threshold = 0;
        thresholds_ref(&word, 1, root, fraction_bits, &threshold);
        const double exact =
            std::floor(std::ldexp(static_cast<double>(word) * root, -fraction_bits));
        CHECK(threshold == exact);
      }
    }
}
