#include "axelram/head_rotation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "axelram/signs.hpp"

namespace axelram {
namespace {

std::vector<std::int8_t> residual_signs(const Parameters& p, std::uint64_t seed, int layer,
                                        int head) {
  std::vector<std::int8_t> signs(p.prod() ? static_cast<std::size_t>(p.head_dim) : 0);
  if (p.prod()) sign_vector(seed ^ kResidualSeed, layer, head, p.head_dim, signs.data());
  return signs;
}

void check_size(const char* name, std::size_t size, int needed) {
  if (size != static_cast<std::size_t>(needed))
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(needed) +
                                " values are needed");
}

void check_signs(const char* name, const std::vector<std::int8_t>& signs, int size) {
  check_size(name, signs.size(), size);
  for (const std::int8_t sign : signs)
    if (sign != 1 && sign != -1)
      throw std::invalid_argument(std::string(name) + ": values are +1 or -1");
}

void check_channels(const std::vector<std::uint16_t>& channels, const Parameters& p) {
  check_size("channels", channels.size(), p.split() ? p.head_dim / 2 : 0);
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (channels[i] >= p.head_dim || (i > 0 && channels[i] <= channels[i - 1]))
      throw std::invalid_argument("channels: they must ascend, below head_dim");
}

void check_balance(const std::vector<std::int8_t>& exponents, const Parameters& p) {
  check_size("balance", exponents.size(), p.balanced ? p.head_dim : 0);
  for (const std::int8_t exponent : exponents)
    if (exponent < kLeastExponent || exponent > kMostExponent)
      throw std::invalid_argument("balance: exponents lie in -8..7");
}

}  // namespace

std::vector<std::uint16_t> channel_order(const std::vector<std::uint16_t>& high_channels,
                                         int head_dim) {
  std::vector<std::uint16_t> order = high_channels;
  for (std::uint16_t channel = 0; channel < head_dim && !high_channels.empty(); ++channel)
    if (!std::binary_search(high_channels.begin(), high_channels.end(), channel))
      order.push_back(channel);
  return order;
}

HeadRotation seeded_rotation(const Parameters& parameters, std::uint64_t seed, int layer, int head,
                             std::vector<std::uint16_t> high_channels) {
  const Parameters& p = parameters;
  HeadRotation rotation(std::vector<std::int8_t>(static_cast<std::size_t>(p.head_dim)));
  if (p.split()) {
    const int half = p.head_dim / 2;
    for (int j = 0; j < 2; ++j)
      sign_vector(seed, layer, head + kMaxSplitHeads * (1 + j), half,
                  rotation.signs.data() + j * half);
  } else {
    sign_vector(seed, layer, head, p.head_dim, rotation.signs.data());
  }
  rotation.residual_signs = residual_signs(p, seed, layer, head);
  rotation.high_channels = std::move(high_channels);
  return rotation;
}

HeadRotation given_rotation(const Parameters& parameters, const std::vector<std::int8_t>& signs,
                            int layer, int head, std::vector<std::uint16_t> high_channels) {
  HeadRotation rotation(signs);
  const std::vector<std::uint16_t> order = channel_order(high_channels, parameters.head_dim);
  for (std::size_t i = 0; i < order.size(); ++i) rotation.signs[i] = signs[order[i]];
  rotation.residual_signs = residual_signs(parameters, kDefaultSeed, layer, head);
  rotation.high_channels = std::move(high_channels);
  return rotation;
}

void check_rotation(const HeadRotation& rotation, const Parameters& parameters) {
  const Parameters& p = parameters;
  check_signs("signs", rotation.signs, p.head_dim);
  check_signs("residual signs", rotation.residual_signs, p.prod() ? p.head_dim : 0);
  check_channels(rotation.high_channels, p);
  check_balance(rotation.balance, p);
}

}  // namespace axelram
