#include <algorithm>
#include <array>
#include <bit>

#include "axelram/fast_memory.hpp"
#include "axelram/gate.hpp"

namespace axelram {
namespace {

/// Integers in the order of the floats, both zeros 0. A comparison of floats would depend on the
/// caller's denormal mode.
std::int32_t ordered(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? -(bits & 0x7FFFFFFF) : bits;
}

}  // namespace

int gate_code(float z) {
  static const auto boundaries = [] {
    std::array<std::int32_t, kGateCodes - 1> all{};
    std::transform(gate_boundaries().begin(), gate_boundaries().end(), all.begin(), ordered);
    return all;
  }();
  return static_cast<int>(std::upper_bound(boundaries.begin(), boundaries.end(), ordered(z)) -
                          boundaries.begin());
}

}  // namespace axelram
