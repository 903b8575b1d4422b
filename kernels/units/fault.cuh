#pragma once

#include <cstdint>

#include "axelram/fault.hpp"
#include "axelram/philox.hpp"
#include "platform.cuh"

namespace axelram::kernels {

/// Where a row's bits lie, as a counter of Philox needs it.
struct FaultPlace {
  std::uint64_t seed;
  std::uint32_t token, place, trial;
};
AXELRAM_HD FaultPlace fault_place(const FaultSite& site) {
  return {site.seed, site.token, site.layer << 16 | site.head << 1 | (site.value ? 1U : 0U),
          site.trial};
}

/// Bits 32 * word .. 32 * word + 31 of golden's fault_mask_ref, a bit is 1 where its random word is
/// at most `most`: the threshold less one.
AXELRAM_HD std::uint32_t fault_mask(const FaultPlace& site, std::uint32_t word,
                                    std::uint32_t most) {
  std::uint32_t mask = 0;
  AXELRAM_ROLLED  // four counters at a time hide each other's latency and fit the registers
      for (std::uint32_t half = 0; half < 2; ++half) {
    AXELRAM_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i) {
      const auto words = philox4x32(
          {8 * word + 4 * half + i, site.token, site.place, site.trial},
          {static_cast<std::uint32_t>(site.seed), static_cast<std::uint32_t>(site.seed >> 32)});
      mask = mask >> 4;
      AXELRAM_UNROLL
      for (unsigned bit = 0; bit < 4; ++bit) mask |= words[bit] <= most ? 1U << (28 + bit) : 0U;
    }
  }
  return mask;
}

}  // namespace axelram::kernels
