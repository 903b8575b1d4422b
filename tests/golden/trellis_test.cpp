#include "axelram/trellis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "axelram/codebook.hpp"
#include "axelram/macro.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/macro_fixture.hpp"

using namespace axelram;
using fast_test::between;

namespace {

Parameters trellis_parameters(int bits, int states) {
  return {.index_bits = bits, .kind = QuantizerKind::trellis, .states = states};
}

std::uint32_t cost_of(std::int64_t y, std::int64_t reconstruction, int shift) {
  const std::int64_t half = (std::int64_t{1} << shift) / 2;
  const std::int64_t delta =
      std::min<std::int64_t>(4095, (std::abs(y - reconstruction) + half) >> shift);
  return static_cast<std::uint32_t>(delta * delta);
}

/// The least cost over all indices of a short vector.
std::uint32_t least_cost(const std::vector<std::int32_t>& y,
                         const std::vector<std::int32_t>& reconstructions, int bits, int states,
                         int shift) {
  const auto d = static_cast<int>(y.size());
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint8_t> indices(y.size()), levels(y.size());
  for (std::uint32_t all = 0; all >> (bits * d) == 0; ++all) {
    for (int i = 0; i < d; ++i)
      indices[static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(all >> (bits * i) & ((1U << bits) - 1));
    trellis_level_ref(indices.data(), d, states, levels.data());
    std::uint32_t cost = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      cost += cost_of(y[i], reconstructions[levels[i]], shift);
    least = std::min(least, cost);
  }
  return least;
}

}  // namespace

TEST_CASE("trellis: the centroid words of the contract") {
  const std::vector<std::vector<std::int32_t>> positive = {
      {13, 41, 73, 127},
      {5, 15, 25, 36, 48, 62, 81, 111},
      {2, 7, 12, 16, 21, 26, 31, 37, 42, 48, 55, 62, 71, 82, 95, 117}};
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const CodebookRom rom = codebook_rom(trellis_parameters(bits, 8));
    const auto& words = positive[static_cast<std::size_t>(bits - 2)];
    REQUIRE(rom.centroids.size() == 2 * words.size());
    CHECK(rom.boundaries.empty());
    CHECK(rom.reconstructions.size() == rom.centroids.size());
    for (std::size_t j = 0; j < words.size(); ++j) {
      CASE(j);
      CHECK(rom.centroids[words.size() + j] == words[j]);
      CHECK(rom.centroids[words.size() - 1 - j] == -words[j]);
      CHECK(rom.reconstructions[words.size() - 1 - j] == -rom.reconstructions[words.size() + j]);
    }
  }
}

TEST_CASE("trellis: the path has the least cost of all, and is that of its indices") {
  fast_test::Random random(91);
  for (const int states : {4, 8, 16})
    for (const int bits : {1, 2, 3}) {
      CASE(states, bits);
      const int d = bits == 1 ? 12 : bits == 2 ? 7 : 5;
      const auto count = static_cast<std::size_t>(2 << bits);
      for (int repeat = 0; repeat < 12; ++repeat) {
        CASE(repeat);
        const auto root =
            static_cast<std::uint32_t>(between(random, 1, 1 << between(random, 1, 18)));
        std::vector<std::int32_t> words, reconstructions(count), y;
        for (const double level : trellis_levels(bits))
          words.push_back(static_cast<std::int32_t>(std::lround(level * 8192)));
        reconstructions_ref(words.data(), static_cast<int>(count), root, 13,
                            reconstructions.data());
        const auto most = static_cast<int>(std::min<std::uint32_t>(8 * root, 1U << 28));
        for (int i = 0; i < d; ++i) y.push_back(between(random, -most, most));
        std::vector<std::uint8_t> indices(y.size()), levels(y.size());
        const std::uint32_t cost = encode_trellis_ref(y.data(), d, reconstructions.data(), bits,
                                                      root, states, indices.data());
        int shift = 0;
        while (root >> (shift + 10) != 0) ++shift;
        CHECK(cost == least_cost(y, reconstructions, bits, states, shift));
        trellis_level_ref(indices.data(), d, states, levels.data());
        std::uint32_t own = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
          own += cost_of(y[i], reconstructions[levels[i]], shift);
        CHECK(cost == own);
      }
    }
}

TEST_CASE("trellis: a zero key has indices, levels and cost 0") {
  for (const int states : {4, 8, 16}) {
    CASE(states);
    const Parameters p = trellis_parameters(3, states);
    Macro macro = macro_fixture::make_macro(p);
    const KeyResult zero = macro.write(macro_fixture::Raw(128, 0).data());
    CHECK(zero.path_cost == 0);
    CHECK(std::count(zero.indices.begin(), zero.indices.end(), 0) == 128);
    CHECK(std::count(zero.levels.begin(), zero.levels.end(), 0) == 128);
  }
}

TEST_CASE("trellis: distortion of Gaussian coordinates, below that of any scalar quantizer") {
  constexpr double kMost[] = {0.087, 0.0243, 0.0068};  // 8 states
  constexpr double kScalar[] = {0.1175, 0.0345, 0.0095};
  fast_test::Random random(92);
  std::normal_distribution<double> gaussian(0, 40000);
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const CodebookRom rom = codebook_rom(trellis_parameters(bits, 8));
    const auto count = static_cast<int>(rom.reconstructions.size());
    double error = 0, square = 0;
    for (int key = 0; key < 1500; ++key) {
      std::vector<std::int32_t> y, reconstructions(rom.reconstructions.size());
      double sum = 0;
      for (int i = 0; i < 128; ++i) {
        y.push_back(static_cast<std::int32_t>(std::lround(gaussian(random))));
        sum += static_cast<double>(y.back()) * y.back();
      }
      const auto root = static_cast<std::uint32_t>(std::lround(std::sqrt(sum / 128)));
      reconstructions_ref(rom.reconstructions.data(), count, root, 13, reconstructions.data());
      std::vector<std::uint8_t> indices(y.size()), levels(y.size());
      encode_trellis_ref(y.data(), 128, reconstructions.data(), bits, root, 8, indices.data());
      trellis_level_ref(indices.data(), 128, 8, levels.data());
      for (std::size_t i = 0; i < y.size(); ++i)
        error += std::pow(y[i] - reconstructions[levels[i]], 2);
      square += sum;
    }
    CHECK(error / square <= kMost[bits - 2]);
    CHECK(error / square < kScalar[bits - 2]);
  }
}
