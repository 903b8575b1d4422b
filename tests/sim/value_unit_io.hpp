#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

constexpr std::size_t kValueChannels = 32;

/// Inputs of one cycle for the units of value_unit_test.cpp. A token lasts for four rows of the
/// folded unit.
struct ValueUnitInput {
  bool reset = false, valid = false, first = false;
  std::uint32_t row = 0, shift = 0, weight = 0;
  std::array<std::uint8_t, kValueChannels> levels{};
  bool early = false, late = false;  ///< the sums enter their rounding, and leave it
};

/// Outputs before the clock edge of the cycle. Arrays: a lane for each channel, and folded.
struct ValueUnitOutput {
  std::array<std::array<std::int64_t, kValueChannels>, 2> sums{};
  bool rounded = false;
  std::uint32_t shift = 0;  ///< of the sums that leave
  std::array<std::int32_t, kValueChannels> elements{};
  bool asserted = false;  ///< an assertion failed at the edge before
};
