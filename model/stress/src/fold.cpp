#include "axelram/stress/fold.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "axelram/caches/cache.hpp"
#include "axelram/transformer/transformer.hpp"
#include "rewrite.hpp"

namespace axelram::stress {
namespace {

constexpr char kFoldRecord[] = "fold.json";
constexpr char kFoldKey[] = "axelram_fold";
constexpr std::size_t kTokens = 64;  // whose logits are compared

files::FolderKind fold_kind() {
  return {"fold",
          {"config.json", "tokenizer.json", "model.safetensors", kFoldRecord},
          kFoldRecord,
          kFoldKey};
}

void check_fits(const checkpoints::Checkpoint& checkpoint, const files::Balance& balance,
                const std::string& path) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  if (balance.layers != a.layers || balance.heads != a.kv_heads || balance.pairs != a.head_dim / 2)
    throw files::InputError(path + ": holds " + std::to_string(balance.layers) + " layers of " +
                            std::to_string(balance.heads) + " heads of " +
                            std::to_string(balance.pairs) + " pairs; the model has " +
                            std::to_string(a.layers) + " of " + std::to_string(a.kv_heads) +
                            " of " + std::to_string(a.head_dim / 2));
  for (std::size_t layer = 0; layer < a.layers; ++layer) {
    if (checkpoint.layers[layer].k_norm.empty()) continue;
    for (std::size_t head = 1; head < a.kv_heads; ++head)
      if (!std::equal(balance.at(layer, 0), balance.at(layer, 0) + balance.pairs,
                      balance.at(layer, head)))
        throw files::InputError(path + ": layer " + std::to_string(layer) + ": heads 0 and " +
                                std::to_string(head) +
                                " differ; heads that share their norms need the same factors");
  }
}

/// Keys divided by lambda, all layers.
std::vector<LayerPlan> plan_of(const checkpoints::Architecture& a, const files::Balance& balance) {
  std::vector<LayerPlan> plan;
  for (std::size_t layer = 0; layer < a.layers; ++layer) {
    LayerPlan& of_layer = plan.emplace_back(LayerPlan{layer, {}});
    for (std::size_t head = 0; head < a.kv_heads; ++head) {
      HeadPlan& own = of_layer.heads.emplace_back();
      for (std::size_t channel = 0; channel < a.head_dim; ++channel)
        own.factors.push_back(
            1 / double{balance.at(layer,
                                  head)[checkpoints::pair_of(a.positions, channel, a.head_dim)]});
    }
  }
  return plan;
}

/// Logits of a fixed sequence, each row less its mean.
std::vector<double> logits_of(const checkpoints::Checkpoint& checkpoint,
                              transformer::Workers& workers) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  std::vector<std::int32_t> ids;
  for (std::size_t t = 0; t < std::min(kTokens, a.max_positions); ++t)
    ids.push_back(static_cast<std::int32_t>((t * 7919 + 13) % a.vocabulary));
  const auto cache =
      caches::make_cache({caches::Float32{}, caches::Float32{}}, caches::shape_of(a));
  const transformer::Transformer model(checkpoint, workers);
  const transformer::Sequence sequence{ids, 0};
  const std::vector<float> hidden = model.forward({&sequence, 1}, *cache);
  std::vector<float> logits(ids.size() * a.vocabulary);
  model.logits(hidden.data(), ids.size(), logits.data());
  std::vector<double> centered(logits.begin(), logits.end());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    double* const first = &centered[row * a.vocabulary];
    double sum = 0;
    for (std::size_t i = 0; i < a.vocabulary; ++i) sum += first[i];
    for (std::size_t i = 0; i < a.vocabulary; ++i) first[i] -= sum / double(a.vocabulary);
  }
  return centered;
}

double change_of(const std::vector<double>& before, const std::vector<double>& after) {
  double squares = 0, changes = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    squares += before[i] * before[i];
    changes += (after[i] - before[i]) * (after[i] - before[i]);
  }
  return squares > 0 ? std::sqrt(changes / squares) : std::sqrt(changes);
}

}  // namespace

void check_fold_output(const Output& output) { files::check_folder(fold_kind(), output); }

void check_fold_model(const std::string& path) { check_folder_model(path, "fold"); }

Folded fold_model(const checkpoints::Checkpoint& checkpoint, const files::Balance& balance,
                  const std::string& balance_path, const Output& output,
                  transformer::Workers& workers, double most_change) {
  check_fits(checkpoint, balance, balance_path);
  Folded folded;
  folded.tokens = std::min(kTokens, checkpoint.architecture.max_positions);
  const auto record = [&](const std::string& folder) {
    const checkpoints::Checkpoint after = checkpoints::read_checkpoint(folder);
    folded.logit_change = change_of(logits_of(checkpoint, workers), logits_of(after, workers));
    if (!(folded.logit_change <= most_change))
      throw files::InputError(checkpoint.path + ": the logits change by " +
                              std::to_string(100 * folded.logit_change) +
                              " %: its type is too coarse for these factors");
    const auto [least, most] = std::minmax_element(balance.lambdas.begin(), balance.lambdas.end());
    const nlohmann::ordered_json json = {{kFoldKey, 1},
                                         {"source", checkpoint.path},
                                         {"balance", balance_path},
                                         {"least_lambda", *least},
                                         {"largest_lambda", *most},
                                         {"tokens", folded.tokens},
                                         {"logit_change", folded.logit_change}};
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  const std::vector<LayerPlan> plan = plan_of(checkpoint.architecture, balance);
  folded.written = rewrite(checkpoint, plan, {fold_kind(), true, "lambda", record}, output);
  return folded;
}

}  // namespace axelram::stress
