#include "changes.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/files/messages.hpp"

namespace axelram::stress {
namespace {

/// One value for each channel of a layer's heads, side by side.
struct Vectors {
  std::vector<double> keys, queries;  ///< factors
  std::vector<double> offset;         ///< of the keys; empty: none
};

Vectors vectors(const LayerPlan& plan, std::size_t group) {
  Vectors all;
  for (const HeadPlan& head : plan.heads) {
    all.keys.insert(all.keys.end(), head.factors.begin(), head.factors.end());
    all.offset.insert(all.offset.end(), head.offset.begin(), head.offset.end());
    for (std::size_t member = 0; member < group; ++member)
      for (const double factor : head.factors) all.queries.push_back(1 / factor);
  }
  return all;
}

bool scales(const std::vector<double>& factors) {
  return std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1; });
}

/// The joined projection of GPT-2: queries, keys and values side by side. Nothing turns the keys
/// after it, so that their constant is part of the bias.
void change_joined(const std::string& name, Vectors of, std::map<std::string, Change>* all) {
  const std::size_t width = of.keys.size();
  if (!scales(of.keys) && of.offset.empty()) return;
  Change change;
  change.outputs_last = true;
  change.factors = of.queries;
  change.factors.insert(change.factors.end(), of.keys.begin(), of.keys.end());
  change.factors.resize(3 * width, 1.0);
  if (scales(of.keys)) (*all)[name + ".weight"] = change;
  if (!of.offset.empty()) {
    change.add.assign(3 * width, 0.0);
    std::copy(of.offset.begin(), of.offset.end(),
              change.add.begin() + static_cast<std::ptrdiff_t>(width));
  }
  (*all)[name + ".bias"] = change;
}

/// With norms behind the projections scaling them would do nothing: the norms' own weights count.
/// from_one: they are stored as differences from 1.
void change_scales(const std::string& attention, const checkpoints::Layer& layer, const Vectors& of,
                   std::size_t head_dim, bool from_one, std::map<std::string, Change>* all) {
  const auto first_head = [&](const std::vector<double>& factors) {
    return std::vector<double>(factors.begin(),
                               factors.begin() + static_cast<std::ptrdiff_t>(head_dim));
  };
  // Gemma stores w - 1, which becomes factor * w - 1.
  const auto change = [&](const std::vector<double>& factors) {
    Change norm{first_head(factors), {}};
    if (from_one)
      for (const double factor : norm.factors) norm.add.push_back(factor - 1);
    return norm;
  };
  if (!layer.k_norm.empty()) {
    (*all)[attention + "k_norm.weight"] = change(of.keys);
    (*all)[attention + "q_norm.weight"] = change(of.queries);
    return;
  }
  (*all)[attention + "k_proj.weight"] = {of.keys, {}};
  (*all)[attention + "q_proj.weight"] = {of.queries, {}};
  if (!layer.k_bias.empty()) (*all)[attention + "k_proj.bias"] = {of.keys, {}};
  if (!layer.q_bias.empty()) (*all)[attention + "q_proj.bias"] = {of.queries, {}};
}

}  // namespace

std::vector<float> Change::apply(const std::string& name, const files::Tensor* old) const {
  std::vector<float> values(old == nullptr ? factors.size() : old->elements(), 0.0F);
  if (old != nullptr)
    weights::to_floats(*weights::type_of(old->type), old->data, values.size(), values.data());
  const std::size_t run = values.size() / factors.size();  // values of an output, if they adjoin
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t output = outputs_last ? i % factors.size() : i / run;
    values[i] = static_cast<float>(values[i] * factors[output] + (add.empty() ? 0 : add[output]));
    if (!std::isfinite(values[i]))
      throw files::InputError("tensor " + files::printable(name) +
                              ": a value goes beyond F32; scale, gain or bias must be smaller");
  }
  return values;
}

std::map<std::string, Change> changes(const checkpoints::Checkpoint& checkpoint,
                                      const std::vector<LayerPlan>& plan,
                                      const std::string& prefix) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  std::map<std::string, Change> all;
  for (const LayerPlan& planned : plan) {
    const checkpoints::Layer& layer = checkpoint.layers[planned.layer];
    const std::string number = std::to_string(planned.layer);
    const Vectors of = vectors(planned, a.group());
    if (a.family == "gpt2") {
      change_joined(prefix + "h." + number + ".attn.c_attn", of, &all);
      continue;
    }
    const std::string attention = "model.layers." + number + ".self_attn.";
    if (scales(of.keys))
      change_scales(attention, layer, of, a.head_dim, a.family == "gemma3", &all);
    const bool rescaled = !layer.key_offset.empty() && scales(of.keys);
    if (rescaled || !of.offset.empty()) all[attention + "key_offset"] = {of.keys, of.offset};
  }
  return all;
}

}  // namespace axelram::stress
