#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for the units of baseline_units_test.cpp, of eight lanes.
struct BaselineInput {
  bool reset = false, valid = false, load = false;
  std::uint16_t a = 0, b = 0, norm = 0;    ///< FP16
  std::uint32_t x = 0, y = 0, record = 0;  ///< FP32; eight indices of three bits
  std::array<std::uint16_t, 8> query{}, key{};
};

/// Outputs before the clock edge of the cycle: FP32.
struct BaselineOutput {
  std::array<bool, 5> valid{};
  std::array<std::uint32_t, 5> value{};  ///< product, sum, scaled, score of a key, of a record
};
