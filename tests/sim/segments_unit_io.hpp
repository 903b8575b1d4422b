#pragma once

#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for axelram_segments. kind: 0 allocate, 1 append, 2 look, 3 evict, 4 free, 5
/// clear.
struct SegmentsUnitInput {
  bool reset = false, valid = false, wrap = false;
  std::uint32_t kind = 0, segment = 0, base = 0, capacity = 0, sinks = 0, rotation = 0, n = 0;
};

/// Outputs before the clock edge of the cycle.
struct SegmentsUnitOutput {
  bool valid = false, rejected = false, full = false;
  std::uint32_t place = 0, base = 0, sinks = 0, ring = 0, start = 0, count = 0, rotation = 0;
  bool asserted = false;  ///< an assertion failed at the edge before
};
