#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// Position of one stored string of bits, a part of the fault generator's counter. layer < 2^16,
/// head < 2^15.
struct FaultSite {
  std::uint64_t seed = 0;
  std::uint32_t token = 0;
  std::uint32_t layer = 0;
  std::uint32_t head = 0;
  bool value = false;  ///< row of values; otherwise of keys
  std::uint32_t trial = 0;
};

/// floor(p * 2^32), 0 <= p <= 1: a bit flips if its random word is below. Throws
/// std::invalid_argument for another p.
std::uint64_t fault_threshold(double p);

/// The binary symmetric channel by Philox4x32-10 (bit-contract.md#bit-errors;
/// references.md#ecc-kv-cache, equations 8 and 9). Mask bit `bit` is 1 where word (bit mod 4) of
/// counter (bit/4, token, site, trial) is below `threshold`. mask: ceil(bits/8) bytes, overwritten,
/// zeros beyond `bits`.
void fault_mask_ref(const FaultSite& site, std::size_t bits, std::uint64_t threshold,
                    std::uint8_t* mask);

}  // namespace axelram
