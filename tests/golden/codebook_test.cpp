#include "axelram/codebook.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "golden/codebook_reference.hpp"

using namespace axelram;

namespace {

constexpr CodebookKind kGaussian = CodebookKind::gaussian;
constexpr CodebookKind kBeta = CodebookKind::beta;

/// How far a value lies from the nearest tie of rounding to integers: 0 .. 1/2.
double tie_margin(double value) { return std::abs(value - std::floor(value) - 0.5); }

double boundary_margin(const Codebook& codebook, int fraction_bits) {
  double margin = 1;
  for (const double boundary : codebook.boundaries)
    if (boundary != 0)
      margin = std::min(
          margin, std::ldexp(tie_margin(std::ldexp(boundary, fraction_bits)), -fraction_bits));
  return margin;
}

double error_of_scale(const Codebook& codebook, double kappa) {
  double error = 0;
  for (const double centroid : codebook.centroids)
    error = std::max(error, std::abs(std::nearbyint(kappa * centroid) / kappa - centroid));
  return error;
}

}  // namespace

TEST_CASE("centroids and boundaries are correctly rounded and antisymmetric") {
  for (const auto& reference : codebook_reference::kCentroids) {
    CASE(reference.head_dim, reference.index_bits);
    const Codebook codebook =
        solve_codebook(reference.kind, reference.head_dim, reference.index_bits);
    const std::size_t levels = codebook.centroids.size();
    const std::size_t half = levels / 2;
    REQUIRE(levels == std::size_t{1} << reference.index_bits);
    REQUIRE(codebook.boundaries.size() == levels - 1);
    for (std::size_t j = 0; j < half; ++j) {
      CASE(j);
      CHECK(codebook.centroids[half + j] == reference.positive[j]);
      CHECK(codebook.centroids[half - 1 - j] == -codebook.centroids[half + j]);
    }
    CHECK(codebook.boundaries[half - 1] == 0);
    CHECK(!std::signbit(codebook.boundaries[half - 1]));
    for (std::size_t j = 0; j + 1 < half; ++j) {
      CASE(j);
      CHECK(codebook.boundaries[half + j] == reference.positive_boundaries[j]);
      CHECK(codebook.boundaries[half - 2 - j] == -codebook.boundaries[half + j]);
    }
  }
}

TEST_CASE("words of centroids are antisymmetric, also those of a trellis and of one bit") {
  const auto check = [](const std::vector<std::int32_t>& words, int bits) {
    for (std::size_t j = 0; j < words.size(); ++j) {
      CASE(j);
      CHECK(words[j] == -words[words.size() - 1 - j]);
      CHECK(std::abs(words[j]) < 1 << (bits - 1));
      CHECK((words[j] > 0) == (j >= words.size() / 2));
    }
  };
  for (const QuantizerKind kind : {QuantizerKind::mse, QuantizerKind::trellis, QuantizerKind::prod})
    for (const CodebookKind codebook : {kGaussian, kBeta})
      for (int bits = 6; bits <= 16; ++bits) {
        Parameters p{.centroid_bits = bits, .codebook = codebook, .kind = kind};
        CASE(kind, codebook, bits);
        for (p.index_bits = 2; p.index_bits <= 4; ++p.index_bits) {
          CASE(p.index_bits);
          const std::vector<std::int32_t> words = codebook_rom(p).centroids;
          REQUIRE(static_cast<int>(words.size()) == p.levels());
          check(words, bits);
        }
        if (kind == QuantizerKind::prod) continue;
        p.index_bits = 3;
        p.scale = ScaleKind::unbiased;
        p.split_high = p.split_low = 1;
        const CodebookRom rom = codebook_rom(p);
        REQUIRE(rom.second);
        check(rom.centroids, bits);
        check(rom.second->centroids, bits);
      }
}

TEST_CASE("kappa and score_scale are correctly rounded, so result files equal those of any tool") {
  for (const auto& reference : codebook_reference::kRoms) {
    CASE(reference.kind, reference.head_dim);
    Parameters p{.index_bits = reference.index_bits,
                 .centroid_bits = reference.centroid_bits,
                 .codebook = reference.kind};
    for (const int d : {32, 64, 128, 256}) {
      if (reference.kind == kBeta && d != reference.head_dim) continue;
      CASE(d, p.index_bits, p.centroid_bits);
      p.head_dim = d;
      const CodebookRom rom = codebook_rom(p);
      CHECK(rom.kappa == reference.kappa);
      CHECK(rom.score_scale == reference.score_scale * (reference.head_dim * 1.0 / d));
    }
  }
}

TEST_CASE("the one-bit codebooks have closed forms") {
  const double pi = std::acos(-1.0);
  CHECK(std::abs(solve_codebook(kGaussian, 0, 1).centroids[1] - std::sqrt(2 / pi)) < 1e-14);
  for (const int d : {32, 64, 128, 256}) {
    CASE(d);
    const double mean =
        std::sqrt(d / pi) * std::exp(std::lgamma(d / 2.0) - std::lgamma((d + 1) / 2.0));
    CHECK(std::abs(solve_codebook(kBeta, d, 1).centroids[1] - mean) < 1e-12);
  }
}

TEST_CASE("distortion of the Gaussian codebook: known values and bounds") {
  const double known[] = {0.36338, 0.1175, 0.03455, 0.009501};
  const double pi = std::acos(-1.0);
  for (int b = 1; b <= 4; ++b) {
    CASE(b);
    const double d = distortion(solve_codebook(kGaussian, 128, b), kGaussian, 128);
    CHECK(std::abs(d / known[b - 1] - 1) < 3e-4);
    CHECK(d > std::pow(4, -b));
    CHECK(d < std::sqrt(3.0) * pi / 2 * std::pow(4, -b));
    // The constant of the report of corrections bounds one bit only.
    CHECK((d < std::sqrt(3.0 * pi) / 2 * std::pow(4, -b)) == (b == 1));
  }
}

TEST_CASE("the beta codebook approaches the Gaussian one as d grows, with less distortion") {
  for (int b = 2; b <= 4; ++b) {
    CASE(b);
    const Codebook gaussian = solve_codebook(kGaussian, 128, b);
    double previous_gap = 1;
    double previous_distortion = 0;
    for (const int d : {32, 64, 128, 256}) {
      CASE(d);
      const Codebook beta = solve_codebook(kBeta, d, b);
      const double gap = gaussian.centroids.back() - beta.centroids.back();
      CHECK(gap > 0);
      CHECK(gap < previous_gap);
      previous_gap = gap;
      const double error = distortion(beta, kBeta, d);
      CHECK(error > previous_distortion);
      CHECK(error < distortion(gaussian, kGaussian, d));
      CHECK(error < distortion(gaussian, kBeta, d));
      previous_distortion = error;
    }
  }
}

TEST_CASE("no boundary word is near a rounding tie: 1e-12 of error cannot change the ROM") {
  double smallest = 1;
  for (const auto& reference : codebook_reference::kCentroids) {
    if (reference.index_bits == 1) continue;
    const Codebook codebook =
        solve_codebook(reference.kind, reference.head_dim, reference.index_bits);
    for (int fraction_bits = 10; fraction_bits <= 16; ++fraction_bits)
      smallest = std::min(smallest, boundary_margin(codebook, fraction_bits));
  }
  INFO("smallest distance of a boundary to a tie: ", smallest);
  CHECK(smallest > 4e-9);  // 4.46e-9: gaussian, b = 3, F = 14
}

TEST_CASE("centroid words: scale as computed in higher precision, far from ties, robust") {
  std::mt19937 rng(17);
  double smallest = 1;
  for (const auto& reference : codebook_reference::kScales) {
    CASE(reference.kind, reference.head_dim, reference.index_bits);
    const Codebook codebook =
        solve_codebook(reference.kind, reference.head_dim, reference.index_bits);
    Codebook perturbed = codebook;
    const std::size_t levels = codebook.centroids.size();
    for (std::size_t j = 0; j < levels / 2; ++j) {
      const double shift = (static_cast<int>(rng() % 3) - 1) * 1e-12;
      perturbed.centroids[j] -= shift;
      perturbed.centroids[levels - 1 - j] += shift;
    }
    for (int bits = 6; bits <= 16; ++bits) {
      CASE(bits);
      const int k = centroid_scale(codebook, bits);
      CHECK(k == reference.k[static_cast<std::size_t>(bits - 6)]);
      const std::vector<std::int32_t> words = centroid_words(codebook, k);
      CHECK(words.back() == std::nearbyint(k / 16.0));
      CHECK(words.back() <= (1 << (bits - 1)) - 1);
      for (std::size_t j = 0; j < levels; ++j) CHECK_AT(j, words[j] == -words[levels - 1 - j]);
      for (std::size_t j = levels / 2; j + 1 < levels; ++j)
        smallest = std::min(
            smallest, tie_margin(k / 16.0 * codebook.centroids[j] / codebook.centroids.back()));
      CHECK(centroid_scale(perturbed, bits) == k);
      CHECK_SAME(centroid_words(perturbed, k), words);
    }
  }
  INFO("smallest distance of a centroid word to a tie: ", smallest);
  CHECK(smallest > 0.1);
}

TEST_CASE("exact rounding ties go to even") {
  using Words = std::vector<std::int32_t>;
  const Codebook halves{{}, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}};
  CHECK_SAME(boundary_words(halves, 0), Words{-2, -2, 0, 0, 2, 2});
  CHECK_SAME(boundary_words(halves, 1), Words{-5, -3, -1, 1, 3, 5});
  const Codebook codebook = solve_codebook(kGaussian, 128, 3);
  for (int n = 16; n < 127; ++n)
    CHECK_AT(n, centroid_words(codebook, 16 * n + 8).back() == n + n % 2);
}

TEST_CASE("no scale in the range has a smaller error than the chosen one") {
  for (const int bits : {6, 8, 10})
    for (int b = 2; b <= 4; ++b) {
      CASE(bits, b);
      const Codebook codebook = solve_codebook(kGaussian, 128, b);
      const int max_word = (1 << (bits - 1)) - 1;
      const int chosen = centroid_scale(codebook, bits);
      CHECK(5 * chosen >= 48 * max_word);
      CHECK(chosen <= 16 * max_word);
      const double gamma_max = codebook.centroids.back();
      const double best = error_of_scale(codebook, chosen / 16.0 / gamma_max);
      for (int k = (48 * max_word + 4) / 5; k <= 16 * max_word; ++k) {
        CASE(k);
        if (k % 16 == 8) continue;  // kappa * gamma_max is a tie, which this expression may miss
        const double error = error_of_scale(codebook, k / 16.0 / gamma_max);
        CHECK(error >= best * (1 - 1e-9));
        if (k > chosen) CHECK(error > best * (1 + 1e-9));
      }
    }
}

TEST_CASE("the ROM of the contract's defaults") {
  using Words = std::vector<std::int32_t>;
  Parameters p{.index_bits = 2};
  CHECK_SAME(codebook_rom(p).centroids, Words{-120, -36, 36, 120});
  CHECK_SAME(codebook_rom(p).boundaries, Words{-8041, 0, 8041});
  p.index_bits = 3;
  const CodebookRom rom = codebook_rom(p);
  CHECK_SAME(rom.centroids, Words{-88, -55, -31, -10, 10, 31, 55, 88});
  CHECK_SAME(rom.boundaries, Words{-14319, -8601, -4101, 0, 4101, 8601, 14319});
  CHECK(rom.kappa == 40.922268537880015);
  CHECK(rom.score_scale == 0.00019091072609448076);
}

TEST_CASE("illegal arguments") {
  CHECK_THROWS_AS(solve_codebook(kGaussian, 128, 0), std::invalid_argument);
  CHECK_THROWS_AS(solve_codebook(kGaussian, 128, 5), std::invalid_argument);
  CHECK_THROWS_AS(solve_codebook(kBeta, 15, 3), std::invalid_argument);
  Parameters p{.head_dim = 96};
  CHECK_THROWS_AS(codebook_rom(p), std::invalid_argument);
}
