#include <algorithm>

#include "axelram/fast_fault.hpp"
#include "codes/fault/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void fault_mask(const FaultSite& site, std::size_t bits, std::uint64_t threshold,
                std::uint8_t* mask, SimdLevel level) {
  const FaultStream stream = {
      {site.token, site.layer << 16 | site.head << 1 | (site.value ? 1U : 0U), site.trial},
      {static_cast<std::uint32_t>(site.seed), static_cast<std::uint32_t>(site.seed >> 32)},
      threshold};
  const auto fault_blocks = level_units(level).fault_blocks;
  const std::size_t blocks = bits / (8 * kFaultBlockBytes);
  fault_blocks(stream, 0, blocks, mask);
  const std::size_t tail_bits = bits % (8 * kFaultBlockBytes);
  if (tail_bits == 0) return;
  std::uint8_t tail[kFaultBlockBytes];
  fault_blocks(stream, static_cast<std::uint32_t>(blocks * kFaultBlockCounters), 1, tail);
  const unsigned used = (1U << tail_bits % 8) - 1;
  if (used != 0) tail[tail_bits / 8] = static_cast<std::uint8_t>(tail[tail_bits / 8] & used);
  std::copy_n(tail, (tail_bits + 7) / 8, mask + blocks * kFaultBlockBytes);
}

}  // namespace axelram
