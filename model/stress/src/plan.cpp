#include "axelram/stress/plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "axelram/draws/draws.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::stress {
namespace {

using draws::Draws;
using draws::Purpose;
using files::InputError;

constexpr double kLeast = 1e-6, kMost = 1e6;

void check_factor(const char* what, double value) {
  if (!(value >= kLeast && value <= kMost))
    throw InputError(std::string(what) + " " + std::to_string(value) + "; it must be 1e-6 .. 1e6");
}

void check(const checkpoints::Architecture& a, const Changes& options) {
  if (options.layers.empty()) throw InputError("no layer is chosen; name at least one");
  std::set<std::size_t> seen;
  for (const std::size_t layer : options.layers) {
    if (layer >= a.layers)
      throw InputError("layer " + std::to_string(layer) + ": the model has layers 0 .. " +
                       std::to_string(a.layers - 1));
    if (!seen.insert(layer).second)
      throw InputError("layer " + std::to_string(layer) + " is named twice; name it once");
  }
  if (options.pairs > a.head_dim / 2)
    throw InputError(std::to_string(options.pairs) + " pairs: a head of " +
                     std::to_string(a.head_dim) + " channels has " +
                     std::to_string(a.head_dim / 2));
  check_factor("scale", options.scale_low);
  check_factor("scale", options.scale_high);
  if (options.scale_low > options.scale_high)
    throw InputError("the scale's range ends below its begin; give the lower end first");
  check_factor("gain", options.gain);
  if (!(options.bias >= 0 && options.bias <= kMost))
    throw InputError("bias " + std::to_string(options.bias) + "; its norm must be 0 .. 1e6");
  if (options.bias_channels > a.head_dim)
    throw InputError(std::to_string(options.bias_channels) + " bias channels: a head has " +
                     std::to_string(a.head_dim));
}

std::vector<PairFactor> draw_pairs(const Changes& options, std::size_t head_dim, std::size_t layer,
                                   std::size_t head) {
  const Draws scales(options.seed, Purpose::scales, layer, head);
  const double span = std::log(options.scale_high / options.scale_low);
  std::vector<PairFactor> pairs;
  for (const std::size_t pair :
       Draws(options.seed, Purpose::pairs, layer, head).choose(options.pairs, head_dim / 2)) {
    // A single value is exact: no logarithms.
    const double factor = span == 0
                              ? options.scale_low
                              : options.scale_low * std::exp(span * scales.uniform(pairs.size()));
    pairs.push_back({pair, factor});
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const PairFactor& a, const PairFactor& b) { return a.pair < b.pair; });
  return pairs;
}

std::vector<double> draw_offset(const Changes& options, std::size_t head_dim, std::size_t layer,
                                std::size_t head) {
  if (options.bias == 0) return {};
  const std::size_t count = options.bias_channels == 0 ? head_dim : options.bias_channels;
  const std::vector<std::size_t> channels =
      Draws(options.seed, Purpose::channels, layer, head).choose(count, head_dim);
  const Draws draws(options.seed, Purpose::offset, layer, head);
  std::vector<double> offset(head_dim, 0.0);
  double square = 0;
  for (const std::size_t channel : channels) {
    offset[channel] = draws.normal(channel);
    square += offset[channel] * offset[channel];
  }
  for (double& value : offset) value *= options.bias / std::sqrt(square);
  return offset;
}

std::vector<double> factors(const std::vector<PairFactor>& pairs, double gain,
                            std::size_t head_dim) {
  std::vector<double> all(head_dim, gain);
  for (const PairFactor& pair : pairs)
    for (const std::size_t channel : {pair.pair, pair.pair + head_dim / 2})
      all[channel] = gain * pair.factor;
  return all;
}

}  // namespace

std::vector<LayerPlan> make_plan(const checkpoints::Checkpoint& checkpoint,
                                 const Changes& options) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  check(a, options);
  std::vector<LayerPlan> plan;
  for (const std::size_t layer : options.layers) {
    LayerPlan& changed = plan.emplace_back(LayerPlan{layer, {}});
    const bool shared = !checkpoint.layers[layer].k_norm.empty();
    for (std::size_t head = 0; head < a.kv_heads; ++head) {
      HeadPlan own;
      own.pairs = draw_pairs(options, a.head_dim, layer, shared ? 0 : head);
      own.factors = factors(own.pairs, options.gain, a.head_dim);
      own.offset = draw_offset(options, a.head_dim, layer, head);
      changed.heads.push_back(std::move(own));
    }
  }
  return plan;
}

}  // namespace axelram::stress
