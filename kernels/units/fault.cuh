#pragma once

#include <cstdint>

#include "axelram/fault.hpp"
#include "device/platform.cuh"
#include "units/philox.cuh"

namespace axelram::kernels {

/// Where a row's bits lie, as Philox needs it.
struct FaultPlace {
  PhiloxKeys keys;
  std::uint32_t token, place, trial;
};
AXELRAM_HD FaultPlace fault_place(const FaultSite& site) {
  return {philox_keys(site.seed), site.token,
          site.layer << 16 | site.head << 1 | (site.value ? 1U : 0U), site.trial};
}

/// Bits 32 * word .. 32 * word + 31 of golden's fault_mask_ref for the token `tokens` after the
/// site's: a bit is 1 where its random word is at most `most`, the threshold less one.
AXELRAM_HD std::uint32_t fault_mask(const FaultPlace& site, std::uint32_t tokens,
                                    std::uint32_t word, std::uint32_t most) {
  std::uint32_t mask = 0;
  AXELRAM_ROLLED  // four counters at a time hide each other's latency and fit the registers
      for (std::uint32_t half = 0; half < 2; ++half) {
    AXELRAM_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint32_t words[4] = {8 * word + 4 * half + i, site.token + tokens, site.place,
                                site.trial};
      philox4x32(site.keys, words);
      mask = mask >> 4;
      AXELRAM_UNROLL
      for (unsigned bit = 0; bit < 4; ++bit) mask |= words[bit] <= most ? 1U << (28 + bit) : 0U;
    }
  }
  return mask;
}

}  // namespace axelram::kernels
