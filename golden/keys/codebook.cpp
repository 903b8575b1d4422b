#include "axelram/codebook.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/rounding.hpp"
#include "axelram/trellis.hpp"
#include "lloyd_max.hpp"

namespace axelram {
namespace {

/// RNE(value * 2^fraction_bits) of each value.
std::vector<std::int32_t> words_of(const std::vector<double>& values, int fraction_bits) {
  std::vector<std::int32_t> words;
  for (const double value : values)
    words.push_back(round_to_even(std::ldexp(value, fraction_bits)));
  return words;
}

/// gamma_j / gamma_max, exactly 1 for the outermost.
double ratio(const Codebook& codebook, std::size_t j) {
  return codebook.centroids[j] / codebook.centroids.back();
}

/// max_j |C_j / kappa - gamma_j| of candidate tau; antisymmetry makes the positive half enough.
double scale_error(const Codebook& codebook, double tau) {
  double error = 0;
  for (std::size_t j = codebook.centroids.size() / 2; j < codebook.centroids.size(); ++j) {
    const double word = round_to_even(tau * ratio(codebook, j));
    // Candidates whose words are in the same proportion are exactly tied. Dividing first gives them
    // the same quotient, bit for bit; the errors can be so small (2e-9) that rounding noise would
    // otherwise exceed the tie tolerance.
    const double centroid = word / tau * codebook.centroids.back();
    error = std::max(error, std::abs(centroid - codebook.centroids[j]));
  }
  return error;
}

}  // namespace

std::vector<std::int32_t> boundary_words(const Codebook& codebook, int fraction_bits) {
  return words_of(codebook.boundaries, fraction_bits);
}

int centroid_scale(const Codebook& codebook, int centroid_bits) {
  constexpr double kTie = 1e-9;
  const int max_word = (1 << (centroid_bits - 1)) - 1;
  const int first = (48 * max_word + 4) / 5;
  const int last = 16 * max_word;
  std::vector<double> errors;
  for (int sixteen_tau = first; sixteen_tau <= last; ++sixteen_tau)
    errors.push_back(scale_error(codebook, sixteen_tau / 16.0));
  const double tied = *std::min_element(errors.begin(), errors.end()) * (1 + kTie);
  int sixteen_tau = last;
  while (errors[static_cast<std::size_t>(sixteen_tau - first)] > tied) --sixteen_tau;
  return sixteen_tau;
}

std::vector<std::int32_t> centroid_words(const Codebook& codebook, int sixteen_tau) {
  std::vector<std::int32_t> words;
  for (std::size_t j = 0; j < codebook.centroids.size(); ++j)
    words.push_back(round_to_even(sixteen_tau / 16.0 * ratio(codebook, j)));
  return words;
}

namespace {

/// The levels above 0: of the Lloyd-Max quantizer, or of the trellis, which are decimals.
std::vector<DoubleDouble> positive_levels(const Parameters& p) {
  if (!p.trellis()) return positive_centroids(p.codebook, p.head_dim, p.codebook_bits());
  constexpr double kUnit = 10000;
  std::vector<DoubleDouble> levels;
  for (const double level : trellis_levels(p.index_bits))
    if (level > 0) levels.push_back(DoubleDouble(round_to_even(level * kUnit)) / kUnit);
  return levels;
}

/// Z = RNE(kappa * sqrt(pi / 2) * 2^16).
std::uint32_t residual_scale(const DoubleDouble& kappa) {
  constexpr DoubleDouble kRootOfHalfPi{0x1.40d931ff62706p+0, -0x1.a6a0d6f814637p-54};
  const DoubleDouble scaled = kappa * kRootOfHalfPi * 65536;
  const double whole = std::floor(scaled.high);
  // The fraction decides; a word has 32 bits, so that both parts are exact.
  const double fraction = (scaled.high - whole) + scaled.low;
  return static_cast<std::uint32_t>(whole) + static_cast<std::uint32_t>(round_to_even(fraction));
}

CodebookRom rom_of(const Parameters& p) {
  const std::vector<DoubleDouble> positive = positive_levels(p);
  const Codebook codebook = round_codebook(positive);
  const int sixteen_tau = centroid_scale(codebook, p.centroid_bits);
  CodebookRom rom;
  if (p.trellis() || p.prod())
    rom.reconstructions = words_of(codebook.centroids, p.boundary_fraction_bits);
  if (!p.trellis()) rom.boundaries = boundary_words(codebook, p.boundary_fraction_bits);
  rom.centroids = centroid_words(codebook, sixteen_tau);
  const DoubleDouble kappa = sixteen_tau / 16.0 / positive.back();
  rom.kappa = kappa.high;
  // An unbiased norm contains the scale of the codebook.
  rom.score_scale = p.scale == ScaleKind::unbiased
                        ? std::ldexp(1, 2 - p.centroid_bits - p.log2_dim())
                        : (1 / (kappa * p.head_dim)).high;
  if (p.prod()) rom.residual_scale = residual_scale(kappa);
  return rom;
}

}  // namespace

CodebookRom codebook_rom(const Parameters& parameters) {
  check(parameters);
  if (!parameters.split()) return rom_of(parameters);
  CodebookRom rom = rom_of(parameters.part(0));
  rom.second = std::make_shared<const CodebookRom>(rom_of(parameters.part(1)));
  return rom;
}

}  // namespace axelram
