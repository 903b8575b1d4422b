#include "axelram/stress/norm_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "axelram/caches/cache.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::stress {
namespace {

using files::InputError;

constexpr double kMinFactor = 1e-6, kMaxFactor = 1e6;

/// |k|^2 and <k, u> for a key k of a chosen layer with scaled pairs, u the constant's direction.
/// They determine the norm of gain * k + bias * u.
struct Moments {
  double square, along;
};

class Measurement {
 public:
  Measurement(std::size_t layers, std::size_t head_dim, const std::vector<LayerPlan>& plan)
      : head_dim_(head_dim), sum_(layers), count_(layers), plan_(layers) {
    for (const LayerPlan& layer : plan) plan_[layer.layer] = &layer;
  }

  void add(const transformer::AttentionInputs& seen, std::size_t heads) {
    for (std::size_t row = 0; row < seen.tokens * heads; ++row)
      add(seen.layer, row % heads, seen.keys + row * head_dim_);
  }

  std::vector<double> norms() const {
    std::vector<double> means;
    for (std::size_t l = 0; l < sum_.size(); ++l)
      means.push_back(sum_[l] / static_cast<double>(count_[l]));
    return means;
  }

  double mean_of_others() const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t l = 0; l < sum_.size(); ++l) {
      if (plan_[l] != nullptr) continue;
      sum += sum_[l];
      count += count_[l];
    }
    return sum / static_cast<double>(count);
  }

  /// Mean norm of the chosen layers' keys.
  double mean(double gain, double bias) const {
    double sum = 0;
    for (const Moments& key : moments_)
      sum += std::sqrt(
          std::max(0.0, gain * gain * key.square + 2 * gain * bias * key.along + bias * bias));
    return sum / static_cast<double>(moments_.size());
  }

 private:
  void add(std::size_t layer, std::size_t head, const float* key) {
    const HeadPlan* const plan = plan_[layer] == nullptr ? nullptr : &plan_[layer]->heads[head];
    double square = 0;
    Moments scaled{0, 0};
    for (std::size_t c = 0; c < head_dim_; ++c) {
      square += static_cast<double>(key[c]) * key[c];
      if (plan == nullptr) continue;
      const double value = key[c] * plan->factors[c];
      scaled.square += value * value;
      scaled.along += value * plan->offset[c];
    }
    sum_[layer] += std::sqrt(square);
    ++count_[layer];
    if (plan != nullptr) moments_.push_back(scaled);
  }

  std::size_t head_dim_;
  std::vector<double> sum_;
  std::vector<std::size_t> count_;
  std::vector<const LayerPlan*> plan_;  // null: not chosen
  std::vector<Moments> moments_;
};

Measurement measure(const checkpoints::Checkpoint& checkpoint, transformer::Workers& workers,
                    std::span<const transformer::Sequence> sequences,
                    const std::vector<LayerPlan>& plan) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  const auto cache =
      caches::make_cache({caches::Float32(), caches::Float32()}, caches::shape_of(a));
  Measurement measurement(a.layers, a.head_dim, plan);
  transformer::Transformer(checkpoint, workers)
      .forward(sequences, *cache, [&](const transformer::AttentionInputs& seen) {
        measurement.add(seen, a.kv_heads);
      });
  return measurement;
}

/// The x >= 0 at which a convex function that is at most `target` at 0 reaches it.
double reach(const std::function<double(double)>& mean, double target) {
  double low = 0, high = 1;
  while (mean(high) < target && high <= kMaxFactor) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (mean(middle) < target ? low : high) = middle;
  }
  return high;
}

}  // namespace

RatioFit fit_norm_ratio(const checkpoints::Checkpoint& checkpoint, transformer::Workers& workers,
                        std::span<const transformer::Sequence> sequences, const Changes& options,
                        const RatioTarget& target) {
  if (!(target.ratio >= kMinFactor && target.ratio <= kMaxFactor))
    throw InputError("norm ratio " + std::to_string(target.ratio) + "; it must be 1e-6 .. 1e6");
  Changes unit = options;
  unit.gain = 1;
  unit.bias = 1;
  const std::vector<LayerPlan> plan = make_plan(checkpoint, unit);
  if (options.layers.size() == checkpoint.architecture.layers)
    throw InputError("norm ratio: all layers are chosen; leave one to compare with");

  const Measurement measured = measure(checkpoint, workers, sequences, plan);
  RatioFit fit{options, measured.norms(), 0, measured.mean_of_others(), 0};
  for (const transformer::Sequence& sequence : sequences) fit.tokens += sequence.ids.size();

  double& free = target.by_bias ? fit.options.bias : fit.options.gain;
  const auto mean = [&](double value) {
    return target.by_bias ? measured.mean(fit.options.gain, value)
                          : measured.mean(value, fit.options.bias);
  };
  const double wanted = target.ratio * fit.others;
  const char* const name = target.by_bias ? "bias" : "gain";
  if (mean(0) > wanted)
    throw InputError("norm ratio " + std::to_string(target.ratio) + ": without any " + name +
                     " it is " + std::to_string(mean(0) / fit.others) +
                     " already; ask for more than that");
  free = reach(mean, wanted);
  if (!(free <= kMaxFactor && free >= (target.by_bias ? 0 : kMinFactor)))
    throw InputError("norm ratio " + std::to_string(target.ratio) + ": it would take a " + name +
                     " of " + std::to_string(free) + "; ask for one nearer to 1");
  fit.chosen = mean(free);
  return fit;
}

}  // namespace axelram::stress
