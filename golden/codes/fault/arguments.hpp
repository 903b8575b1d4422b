#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// Everything of a fault mask but the first word of the counters.
struct FaultStream {
  std::uint32_t counter[3];  ///< words 1..3
  std::uint32_t key[2];
  std::uint64_t threshold;
};

/// Bytes of a mask per counter block: eight counters, four bits each.
constexpr std::size_t kFaultBlockCounters = 8;
constexpr std::size_t kFaultBlockBytes = 4;

}  // namespace axelram
