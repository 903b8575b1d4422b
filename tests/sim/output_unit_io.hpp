#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for the units of output_unit_test.cpp.
struct OutputUnitInput {
  bool reset = false, divide = false, valid = false;
  std::uint64_t denominator = 0;
  std::uint32_t value_scale = 0;
  std::int32_t maximum = 0, reference = 0;
  std::uint32_t shift = 0;
  std::array<std::int32_t, 2> rotated{};
};

/// Outputs before the clock edge of the cycle. Arrays of outputs: two lanes.
struct OutputUnitOutput {
  bool divided = false;
  std::uint32_t reciprocal = 0, length = 0;
  std::array<bool, 2> valid{}, saturated{};  ///< FP16, FP32
  std::array<std::uint32_t, 2> half{}, single{};
  bool asserted = false;  ///< an assertion failed at the edge before
};
