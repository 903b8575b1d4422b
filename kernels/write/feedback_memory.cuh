#pragma once

#include <cstdint>

#include "axelram/kernels/feedback.hpp"
#include "device/platform.cuh"

/// What a block holds while it encodes keys with feedback (bit-contract.md#feedback).
namespace axelram::kernels {

constexpr unsigned kFedThreads = 256, kFedWarps = kFedThreads / 32;
constexpr unsigned kFedKeys = 32;  ///< of a block, all of one head

/// Constants of a head: those of FeedbackHeads.
struct FedHead {
  const float *weights, *u, *a, *columns, *levels;
};

AXELRAM_DEVICE FedHead head_of(const FeedbackHeads& all, std::size_t head, std::size_t d) {
  const bool full = all.columns != nullptr;
  return {all.weights + head * d, full ? nullptr : all.u + head * d,
          full ? nullptr : all.a + head * d, full ? all.columns + head * d * d : nullptr,
          all.levels};
}

/// Shared memory. Rows are longer than d by one word, so that lanes which read the same element of
/// several keys meet no bank twice.
template <int kDim>
struct FedMemory {
  std::uint64_t squares[kFedKeys];
  std::uint32_t roots[kFedKeys];
  std::int32_t exponents[kFedKeys];
  bool finite[kFedKeys];
  std::int32_t y[kFedKeys][kDim + 1];
  std::uint8_t indices[kFedKeys][kDim + 4];
};

/// A step to a state of a trellis, of element i and lane l in byte 32 i + l: `mu` of its level, and
/// bit 7 if it comes from the upper half of the states. Memory of a warp.
constexpr unsigned kFromUpper = 0x80;

AXELRAM_DEVICE std::uint8_t step_of(std::uint32_t mu, bool from_upper) {
  return static_cast<std::uint8_t>(mu | (from_upper ? kFromUpper : 0U));
}

/// The state of least cost among those in lanes first, first + 1, ...; the lowest if several are.
AXELRAM_DEVICE unsigned least_state(float cost, unsigned first, unsigned states) {
  float least = shuffle(cost, first);
  unsigned state = 0;
  for (unsigned s = 1; s < states; ++s) {
    const float other = shuffle(cost, first + s);
    state = other < least ? s : state;
    least = other < least ? other : least;
  }
  return state;
}

/// The indices of the path that ends in `state`. steps: those of the lane of state 0.
AXELRAM_DEVICE void trace_back(const std::uint8_t* steps, unsigned state, unsigned states,
                               int elements, std::uint8_t* indices) {
  for (int i = elements - 1; i >= 0; --i) {
    const unsigned step = steps[32U * static_cast<unsigned>(i) + state];
    indices[i] = static_cast<std::uint8_t>(2 * (step & (kFromUpper - 1)) + state % 2);
    state = state / 2 + ((step & kFromUpper) != 0 ? states / 2 : 0);
  }
}

}  // namespace axelram::kernels
