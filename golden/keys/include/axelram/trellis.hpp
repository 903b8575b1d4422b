#pragma once

#include <cstdint>
#include <vector>

namespace axelram {

// Codes of a trellis (bit-contract.md#trellis): index 2m + x of b bits; a level is chosen by m and
// by the bits x of this and of earlier coordinates.

/// The levels, 2^(b+1) of them, ascending and antisymmetric. index_bits: b, 1..4.
const std::vector<double>& trellis_levels(int index_bits);

/// R_j = RNE(word_j * N / 2^F). words: `count` words RNE(lambda_j * 2^F); root: N < 2^24.
void reconstructions_ref(const std::int32_t* words, int count, std::uint32_t root,
                         int fraction_bits, std::int32_t* reconstructions);

/// The subset 2 z1 + z0 of a coordinate: that of its bit x after the state x_(i-1) + 2 x_(i-2) +
/// ... states: 4, 8 or 16.
constexpr int trellis_subset(int states, unsigned state, unsigned x) {
  const auto earlier = [state](int places) { return state >> (places - 1) & 1U; };
  const int first = states == 4 ? 2 : 1;  // taps of z1 besides x_i
  unsigned z1 = x ^ earlier(first);
  if (states == 8) z1 ^= earlier(3);
  if (states == 16) z1 ^= earlier(4);
  const unsigned z0 = earlier(states == 4 ? 1 : 2);
  return static_cast<int>(2 * z1 + z0);
}

/// The path of least cost through the trellis. y: d rotated elements; reconstructions: 2^(b+1)
/// values R_j; root: N. indices: d results. Returns the cost of the path.
std::uint32_t encode_trellis_ref(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                                 int index_bits, std::uint32_t root, int states,
                                 std::uint8_t* indices);

/// Corners of a search, each at least once. No cost or distance of a tie is 0.
struct TrellisCorners {
  bool levels_tie = false;    ///< two levels of a subset are nearest to an element
  bool cost_limited = false;  ///< a distance beyond the largest delta
  bool paths_tie = false;     ///< two paths to a state cost the same
  bool best_tie = false;      ///< two states end with the least cost
};
TrellisCorners trellis_corners(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                               int index_bits, std::uint32_t root, int states);

/// level_i = 4 m_i + 2 z1_i + z0_i of any indices. levels: d results, below 2^(b+1); it may be
/// `indices`.
void trellis_level_ref(const std::uint8_t* indices, int d, int states, std::uint8_t* levels);

}  // namespace axelram
