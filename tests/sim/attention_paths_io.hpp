#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for the paths of attention_paths_test.cpp: a score, the record of its value,
/// six cycles later.
struct AttentionPathsInput {
  bool reset = false, start = false, valid = false, end = false;
  std::uint32_t score = 0;
  std::array<std::uint32_t, 4> record{};  ///< of 32 elements, the lowest bits first
};

/// Outputs before the clock edge of the cycle.
struct AttentionPathsOutput {
  bool scored = false, logit_saturated = false;
  bool valid = false, last = false, saturated = false;
  std::array<std::uint32_t, 8> row{};  ///< elements of an output; fewer with fewer lanes
  std::int32_t maximum = 0, reference = 0;
  std::uint64_t denominator = 0;
  bool asserted = false;  ///< an assertion failed at the edge before
};
