#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/fault.hpp"
#include "axelram/philox.hpp"

namespace axelram {

std::uint64_t fault_threshold(double p) {
  if (!(p >= 0 && p <= 1))
    throw std::invalid_argument("a bit error rate lies in 0..1, not " + std::to_string(p));
  return static_cast<std::uint64_t>(std::floor(std::ldexp(p, 32)));
}

void fault_mask_ref(const FaultSite& site, std::size_t bits, std::uint64_t threshold,
                    std::uint8_t* mask) {
  std::fill_n(mask, (bits + 7) / 8, std::uint8_t{0});
  const std::uint32_t place = site.layer << 16 | site.head << 1 | (site.value ? 1U : 0U);
  for (std::size_t bit = 0; bit < bits; bit += 4) {
    const auto words = philox4x32(
        {static_cast<std::uint32_t>(bit / 4), site.token, place, site.trial},
        {static_cast<std::uint32_t>(site.seed), static_cast<std::uint32_t>(site.seed >> 32)});
    for (std::size_t i = 0; i < 4 && bit + i < bits; ++i)
      if (words[i] < threshold)
        mask[(bit + i) / 8] =
            static_cast<std::uint8_t>(mask[(bit + i) / 8] | 1U << ((bit + i) % 8));
  }
}

}  // namespace axelram
