#include <algorithm>
#include <array>
#include <cstdlib>

#include "axelram/rounding.hpp"
#include "axelram/trellis.hpp"

namespace axelram {
namespace {

constexpr int kSubsets = 4;
constexpr int kMostStates = 16;

std::vector<double> antisymmetric(const std::vector<double>& positive) {
  std::vector<double> levels;
  for (auto at = positive.rbegin(); at != positive.rend(); ++at) levels.push_back(-*at);
  levels.insert(levels.end(), positive.begin(), positive.end());
  return levels;
}

/// The nearest level of each subset, and what a branch with it costs.
struct Branch {
  std::uint8_t level = 0;
  std::uint32_t cost = 0;
};

std::array<Branch, kSubsets> branches(std::int32_t y, const std::int32_t* reconstructions,
                                      int levels, int shift, TrellisCorners* corners) {
  constexpr std::int64_t kMost = 4095;
  std::array<Branch, kSubsets> all;
  for (int subset = 0; subset < kSubsets; ++subset) {
    std::int64_t least = -1;
    bool tie = false;
    for (int level = subset; level < levels; level += kSubsets) {
      const std::int64_t distance = std::abs(std::int64_t{y} - reconstructions[level]);
      if (least >= 0 && distance >= least) {
        tie = tie || distance == least;
        continue;
      }
      least = distance;
      tie = false;
      all[static_cast<std::size_t>(subset)].level = static_cast<std::uint8_t>(level);
    }
    const std::int64_t half = (std::int64_t{1} << shift) / 2;
    const std::int64_t delta = std::min(kMost, (least + half) >> shift);
    corners->levels_tie = corners->levels_tie || (tie && least != 0);
    corners->cost_limited = corners->cost_limited || (least + half) >> shift > kMost;
    all[static_cast<std::size_t>(subset)].cost = static_cast<std::uint32_t>(delta * delta);
  }
  return all;
}

/// The cheapest path to a state, if there is one.
struct Survivor {
  bool reached = false;
  std::uint32_t cost = 0;
};

}  // namespace

const std::vector<double>& trellis_levels(int index_bits) {
  static const std::array<std::vector<double>, 4> levels = {
      antisymmetric({0.3525, 1.1911}), antisymmetric({0.1940, 0.6080, 1.0840, 1.8810}),
      antisymmetric({0.1160, 0.3460, 0.5860, 0.8400, 1.1230, 1.4510, 1.8990, 2.5980}),
      antisymmetric({0.0654, 0.1899, 0.3228, 0.4484, 0.5860, 0.7185, 0.8661, 1.0109, 1.1665, 1.3309,
                     1.5143, 1.7151, 1.9624, 2.2584, 2.6318, 3.2387})};
  return levels.at(static_cast<std::size_t>(index_bits - 1));
}

void reconstructions_ref(const std::int32_t* words, int count, std::uint32_t root,
                         int fraction_bits, std::int32_t* reconstructions) {
  for (int j = 0; j < count; ++j)
    reconstructions[j] = static_cast<std::int32_t>(
        shift_right_rne(words[j] * static_cast<std::int64_t>(root), fraction_bits));
}

namespace {

std::uint32_t search(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                     int index_bits, std::uint32_t root, int states, std::uint8_t* indices,
                     TrellisCorners* corners) {
  const int shift = std::max(0, bit_length(root) - 10);
  const auto count = static_cast<unsigned>(states);
  std::array<Survivor, kMostStates> survivors;
  survivors[0].reached = true;
  // Each coordinate and state has a predecessor and the index of the branch from it.
  struct Step {
    std::uint8_t from = 0, index = 0;
  };
  std::vector<std::array<Step, kMostStates>> steps(static_cast<std::size_t>(d));
  for (int i = 0; i < d; ++i) {
    const auto choice = branches(y[i], reconstructions, 2 << index_bits, shift, corners);
    std::array<Survivor, kMostStates> next;
    for (unsigned state = 0; state < count; ++state) {
      if (!survivors[state].reached) continue;
      for (unsigned x = 0; x < 2; ++x) {
        const Branch& branch = choice[static_cast<std::size_t>(trellis_subset(states, state, x))];
        const unsigned to = (2 * state + x) % count;
        const std::uint32_t cost = survivors[state].cost + branch.cost;
        if (next[to].reached && cost >= next[to].cost) {  // a tie: the lower predecessor
          corners->paths_tie = corners->paths_tie || (cost == next[to].cost && cost != 0);
          continue;
        }
        next[to] = {true, cost};
        steps[static_cast<std::size_t>(i)][to] = {
            static_cast<std::uint8_t>(state),
            static_cast<std::uint8_t>(branch.level / kSubsets * 2U + x)};
      }
    }
    survivors = next;
  }
  unsigned state = 0;
  for (unsigned other = 0; other < count; ++other) {
    const bool cheaper = !survivors[state].reached || survivors[other].cost < survivors[state].cost;
    if (survivors[other].reached && cheaper) state = other;
  }
  const std::uint32_t cost = survivors[state].cost;
  for (unsigned other = 0; other < count; ++other)
    if (other != state && survivors[other].cost == cost && cost != 0) corners->best_tie = true;
  for (int i = d - 1; i >= 0; --i) {
    const Step& step = steps[static_cast<std::size_t>(i)][state];
    indices[i] = step.index;
    state = step.from;
  }
  return cost;
}

}  // namespace

std::uint32_t encode_trellis_ref(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                                 int index_bits, std::uint32_t root, int states,
                                 std::uint8_t* indices) {
  TrellisCorners corners;
  return search(y, d, reconstructions, index_bits, root, states, indices, &corners);
}

TrellisCorners trellis_corners(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                               int index_bits, std::uint32_t root, int states) {
  TrellisCorners corners;
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  search(y, d, reconstructions, index_bits, root, states, indices.data(), &corners);
  return corners;
}

void trellis_level_ref(const std::uint8_t* indices, int d, int states, std::uint8_t* levels) {
  unsigned state = 0;
  for (int i = 0; i < d; ++i) {
    const unsigned x = indices[i] & 1U;
    // The index is read before its level may take its place.
    levels[i] = static_cast<std::uint8_t>(4 * (indices[i] >> 1) + trellis_subset(states, state, x));
    state = (2 * state + x) % static_cast<unsigned>(states);
  }
}

}  // namespace axelram
