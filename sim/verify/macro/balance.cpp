#include "verify/macro/balance.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace axelram::sim {
namespace {

const std::vector<std::int8_t>& exponents(const files::Config& config) {
  return config.head_rotation.balance;
}

/// Power of two by which an element of a channel is taken.
int power(const files::Config& config, std::size_t channel, BalancedStream of) {
  const int exponent = exponents(config)[channel];
  return of == BalancedStream::keys ? -exponent : exponent;
}

/// `element` times 2^shift, or itself if the format does not have that.
std::uint16_t shifted(std::uint16_t element, int shift, const Parameters& p) {
  const unsigned hidden = 1U << p.format_fraction_bits();
  const int largest = (1 << p.format_exponent_bits()) - 2;
  const int field = (element & 0x7fff) >> p.format_fraction_bits();
  unsigned significand = (element & (hidden - 1)) | (field != 0 ? hidden : 0);
  if (significand == 0 || field > largest) return element;
  int exponent = std::max(field, 1) + shift;
  for (; exponent < 1 && significand % 2 == 0; ++exponent) significand /= 2;
  for (; exponent > 1 && significand < hidden; --exponent) significand *= 2;
  if (exponent < 1 || exponent > largest) return element;
  const unsigned magnitude =
      significand < hidden ? significand
                           : significand - hidden + (static_cast<unsigned>(exponent) * hidden);
  return static_cast<std::uint16_t>((element & 0x8000U) | magnitude);
}

}  // namespace

std::vector<std::uint16_t> before_balance(const files::Config& config,
                                          std::vector<std::uint16_t> vector, BalancedStream of) {
  if (exponents(config).empty()) return vector;
  for (std::size_t i = 0; i < vector.size(); ++i)
    vector[i] = shifted(vector[i], -power(config, i, of), config.parameters);
  return vector;
}

std::vector<int> extreme_channels(const files::Config& config) {
  const std::vector<std::int8_t>& all = exponents(config);
  if (all.empty()) return {};
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return {static_cast<int>(least - all.begin()), static_cast<int>(most - all.begin())};
}

double norm_of_ones(const files::Config& config) {
  double square = 0;
  for (int i = 0; i < config.parameters.head_dim; ++i)
    square += exponents(config).empty()
                  ? 1
                  : std::exp2(2 * power(config, static_cast<std::size_t>(i), BalancedStream::keys));
  return std::sqrt(square);
}

void note_balance(const files::Config& config, const std::uint16_t* vector, BalancedStream of,
                  BalanceCorners* corners) {
  const Parameters& p = config.parameters;
  const int largest = (1 << p.format_exponent_bits()) - 2;
  bool beyond = false, below = false;
  int of_zeros = 0, of_others = 0;  // largest exponents, plus 16; 0: none
  for (std::size_t i = 0; i < exponents(config).size(); ++i) {
    const int magnitude = vector[i] & 0x7fff;
    const int field = std::max(magnitude >> p.format_fraction_bits(), 1);
    if (field > largest) return;
    const int exponent = field + power(config, i, of);
    int& most = magnitude == 0 ? of_zeros : of_others;
    most = std::max(most, exponent + 16);
    beyond = beyond || (magnitude != 0 && exponent > largest);
    below = below || (magnitude != 0 && exponent < 1);
  }
  corners->zero_decides += of_others > 0 && of_zeros > of_others ? 1 : 0;
  corners->beyond += beyond ? 1 : 0;
  corners->below += below ? 1 : 0;
}

void add_balance_bins(const files::Config& config, BalancedStream of, const BalanceCorners& corners,
                      std::vector<CoverageBin>* bins) {
  int least = 0, most = 0;
  bool differ = false;
  for (std::size_t i = 0; i < exponents(config).size(); ++i) {
    least = std::min(least, power(config, i, of));
    most = std::max(most, power(config, i, of));
    differ = differ || exponents(config)[i] != exponents(config)[0];
  }
  const std::string stream = of == BalancedStream::keys ? "key" : "query";
  bins->push_back({stream + ": exponent of a zero",
                   "of a vector that is not zero, by balance exponents", corners.zero_decides,
                   differ});
  bins->push_back({stream + ": balanced beyond the format", "an element above its largest",
                   corners.beyond, most > 0});
  bins->push_back({stream + ": balanced below the format", "an element below its smallest normal",
                   corners.below, least < 0});
}

}  // namespace axelram::sim
