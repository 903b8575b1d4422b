#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"

namespace axelram::stress {

/// Transformation of the keys of the chosen layers. The model computes the same function: queries
/// are divided by the factors of the keys, and a constant added to all keys of a head adds the same
/// number to all scores of a query, which does not change the softmax.
struct Changes {
  std::vector<std::size_t> layers = {0};  ///< each once
  std::size_t pairs = 0;                  ///< scaled pairs of every KV head, 0 .. head_dim / 2
  double scale_low = 8, scale_high = 8;   ///< factor of a scaled pair, log-uniform; 1e-6 .. 1e6
  double gain = 1;                        ///< factor of all channels; 1e-6 .. 1e6
  double bias = 0;                        ///< Euclidean norm of a head's constant; 0 .. 1e6
  std::size_t bias_channels = 0;          ///< random channels that carry it; 0: all
  std::uint64_t seed = 1;
};

/// Channels i and i + head_dim / 2, which rotary embedding turns into each other: with one factor
/// for both, scaling commutes with it (RoFormer, equation 34).
struct PairFactor {
  std::size_t pair;
  double factor;  ///< without the gain
};

struct HeadPlan {
  std::vector<PairFactor> pairs;  ///< in ascending order
  std::vector<double> factors;    ///< head_dim: of every channel, pairs and gain together
  std::vector<double> offset;     ///< head_dim: added to every key, after factors; empty: none
};

struct LayerPlan {
  std::size_t layer;
  std::vector<HeadPlan> heads;  ///< KV heads
};

/// Draws pairs, factors and constants. A layer's do not depend on which others are chosen, a
/// constant's direction not on its norm, and more pairs include the fewer. If the heads of a
/// layer share the norms of queries and keys (Qwen3), they share pairs and factors too.
/// Throws files::InputError for a layer, a number of pairs or a value out of range.
std::vector<LayerPlan> make_plan(const checkpoints::Checkpoint& checkpoint, const Changes& options);

}  // namespace axelram::stress
