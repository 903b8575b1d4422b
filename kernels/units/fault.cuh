#pragma once

#include <cstdint>

#include "axelram/fault.hpp"
#include "device/platform.cuh"
#include "units/philox.cuh"

namespace axelram::kernels {

/// The key and the fixed counter words of Philox for the rows of one head
/// (bit-contract.md#bit-errors).
struct FaultCounters {
  PhiloxKeys keys;
  std::uint32_t token, head, trial;
};
AXELRAM_HD FaultCounters fault_counters(const FaultSite& site) {
  return {philox_keys(site.seed), site.token,
          site.layer << 16 | site.head << 1 | (site.value ? 1U : 0U), site.trial};
}

/// Bits 32 * word .. 32 * word + 31 of golden's fault_mask_ref for the token `tokens` after the
/// site's: a bit is 1 if its
/// random word is at most `max_word`, which is the threshold - 1 (bit-contract.md#bit-errors).
AXELRAM_HD std::uint32_t fault_mask(const FaultCounters& site, std::uint32_t tokens,
                                    std::uint32_t word, std::uint32_t max_word) {
  std::uint32_t mask = 0;
  AXELRAM_ROLLED  // four counters at a time hide each other's latency and fit the registers
      for (std::uint32_t half = 0; half < 2; ++half) {
    AXELRAM_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint32_t words[4] = {8 * word + 4 * half + i, site.token + tokens, site.head,
                                site.trial};
      philox4x32(site.keys, words);
      mask = mask >> 4;
      AXELRAM_UNROLL
      for (unsigned bit = 0; bit < 4; ++bit) mask |= words[bit] <= max_word ? 1U << (28 + bit) : 0U;
    }
  }
  return mask;
}

}  // namespace axelram::kernels
