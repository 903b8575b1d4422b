#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for the two axelram_scale of scale_test.cpp.
struct ScaleInput {
  bool reset = false;
  std::array<bool, 2> sum_valid{}, correlation_valid{};
  std::uint32_t exponent = 0;
  std::uint64_t sum = 0;
  std::int64_t correlation = 0;
};

/// Outputs before the clock edge of the cycle.
struct ScaleOutput {
  std::array<bool, 2> valid{}, saturated{}, refused{};
  std::array<std::uint16_t, 2> norm{};
  bool asserted = false;  ///< an assertion failed at the edge before
};
