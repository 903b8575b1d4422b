#include "verify/macro/rotated_key.hpp"

#include "axelram/align.hpp"
#include "axelram/center.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/norm.hpp"

namespace axelram::sim {

std::vector<std::vector<std::int32_t>> rotated_key(const files::Config& config,
                                                   const std::uint16_t* key,
                                                   std::vector<std::uint32_t>* roots) {
  const Parameters& p = config.parameters;
  std::vector<std::int32_t> m(static_cast<std::size_t>(p.head_dim));
  int exponent = 0;
  std::vector<std::int8_t> powers = config.head_rotation.balance;
  for (std::int8_t& power : powers) power = static_cast<std::int8_t>(-power);
  const std::int8_t* const of_key = powers.empty() ? nullptr : powers.data();
  if (p.centered)
    center_ref(key, config.center.data(), p.head_dim, p.element_format, p.significand_bits,
               m.data(), &exponent, of_key);
  else
    align_ref(key, p.head_dim, p.element_format, p.significand_bits, m.data(), &exponent, of_key);

  const std::vector<std::uint16_t> order =
      channel_order(config.head_rotation.high_channels, p.head_dim);
  std::vector<std::int32_t> ordered = m;
  for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = m[order[i]];
  const std::size_t parts = p.split() ? 2 : 1, d = m.size() / parts;
  std::vector<std::vector<std::int32_t>> rotated;
  if (roots != nullptr) roots->clear();
  for (std::size_t first = 0; first < m.size(); first += d) {
    std::vector<std::int32_t> part(ordered.begin() + static_cast<std::ptrdiff_t>(first),
                                   ordered.begin() + static_cast<std::ptrdiff_t>(first + d));
    if (roots != nullptr)
      roots->push_back(root_ref(square_sum_ref(part.data(), static_cast<int>(d))));
    rotate_ref(&config.head_rotation.signs[first], part.data(), static_cast<int>(d));
    rotated.push_back(std::move(part));
  }
  return rotated;
}

}  // namespace axelram::sim
