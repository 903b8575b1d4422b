#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for the two axelram_score_sum of score_sum_test.cpp.
struct ScoreSumInput {
  bool reset = false, valid = false;
  std::int32_t first = 0, second = 0;
  std::uint16_t first_norm = 0, second_norm = 0;
  std::int32_t first_exponent = 0, second_exponent = 0;
};

/// Outputs before the clock edge of the cycle: with a factor, and without.
struct ScoreSumOutput {
  std::array<bool, 2> valid{}, saturated{};
  std::array<std::uint32_t, 2> score{};
  bool asserted = false;  ///< an assertion failed at the edge before
};
