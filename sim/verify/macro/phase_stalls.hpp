#pragma once

#include <cstddef>

#include "axelram/sim/stalls.hpp"
#include "axelram/sim/verify_report.hpp"

namespace axelram::sim {

// Stalls of the phases of verify().
constexpr Stalls kNoStalls{};
constexpr Stalls kLightStalls{0.05, 0.05, 4};
constexpr Stalls kHeavyStalls{0.5, 0.5, 12};
constexpr Stalls kBlockedOutput{0, 0.9, 64};

/// Seed of the phase behind `phases` others.
inline unsigned phase_seed(const VerifyOptions& options, std::size_t phases) {
  return static_cast<unsigned>((options.seed * 1000 + phases) % 0x7fffffffU) + 1;
}

}  // namespace axelram::sim
