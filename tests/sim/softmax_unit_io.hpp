#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for the units of softmax_unit_test.cpp. `start` empties the query.
struct SoftmaxUnitInput {
  bool reset = false, start = false, valid = false;
  std::uint32_t score = 0;
  std::uint16_t norm = 0;
  std::uint16_t scale = 0;
  int scale_exponent = 0;
};

/// Outputs before the clock edge of the cycle. Arrays: a softmax of FW = 20, 28 and 12 bits.
struct SoftmaxUnitOutput {
  bool logit_valid = false, logit_saturated = false;
  std::int32_t logit = 0;
  bool power_valid = false;
  std::int32_t ceiling = 0;
  std::uint32_t mantissa = 0;
  std::array<bool, 3> valid{}, weighted{}, first{};
  std::array<std::uint32_t, 3> shift{}, weight{};
  std::array<std::int32_t, 3> maximum{}, reference{};
  std::array<std::uint64_t, 3> denominator{};
  bool asserted = false;  ///< an assertion failed at the edge before
};
