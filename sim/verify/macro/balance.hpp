#pragma once

#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/sim/coverage.hpp"

// Corner cases of exponents (bit-contract.md#exponents): those of the first rotation of a macro.

namespace axelram::sim {

/// Which of the two streams a vector is of: they have opposite powers.
enum class BalancedStream { keys, queries };

/// The finite vector that its exponents make `vector`. An element that the format does not have is
/// left as it is. Without exponents: `vector`.
std::vector<std::uint16_t> before_balance(const files::Config& config,
                                          std::vector<std::uint16_t> vector, BalancedStream of);

/// Channels whose elements have the largest and the smallest power in a stream; none without
/// exponents.
std::vector<int> extreme_channels(const files::Config& config);

/// The norm of the key whose elements are all 1.
double norm_of_ones(const files::Config& config);

/// Finite vectors of one stream, counted.
struct BalanceCorners {
  std::uint64_t zero_decides = 0;  ///< the exponent of a vector that is not zero is that of a zero
  std::uint64_t beyond = 0;        ///< an element is beyond the format once balanced
  std::uint64_t below = 0;         ///< one is below its smallest normal once balanced
};
void note_balance(const files::Config& config, const std::uint16_t* vector, BalancedStream of,
                  BalanceCorners* corners);
void add_balance_bins(const files::Config& config, BalancedStream of, const BalanceCorners& corners,
                      std::vector<CoverageBin>* bins);

}  // namespace axelram::sim
