#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// The keys of the ten rounds of Philox4x32-10, made once on the host: as a launch's argument they
/// are operands of the rounds' instructions.
struct PhiloxKeys {
  std::uint32_t low[10], high[10];
};
AXELRAM_HD PhiloxKeys philox_keys(std::uint64_t seed) {
  PhiloxKeys keys{};
  for (unsigned round = 0; round < 10; ++round) {
    keys.low[round] = static_cast<std::uint32_t>(seed) + round * 0x9E3779B9U;
    keys.high[round] = static_cast<std::uint32_t>(seed >> 32) + round * 0xBB67AE85U;
  }
  return keys;
}

/// Twin of golden's philox4x32, in place.
AXELRAM_HD void philox4x32(const PhiloxKeys& keys, std::uint32_t (&c)[4]) {
  AXELRAM_UNROLL
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
    c[0] = static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ keys.low[round];
    c[1] = static_cast<std::uint32_t>(b);
    c[2] = static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ keys.high[round];
    c[3] = static_cast<std::uint32_t>(a);
  }
}

}  // namespace axelram::kernels
