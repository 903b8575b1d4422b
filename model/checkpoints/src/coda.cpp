#include "coda.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::checkpoints {
namespace {

/// True if the key has the second of two names, false for the first, which is the default.
bool second_of(const JsonObject& object, const std::string& key, const std::string& first,
               const std::string& second) {
  const std::string name = object.text(key, first);
  if (name != first && name != second)
    object.fail(key, "it must be " + files::any_of({first, second}));
  return name == second;
}

std::vector<float> values_of(const Matrix& matrix) {
  std::vector<float> values(matrix.outputs * matrix.inputs);
  matrix.rows(0, matrix.outputs, values.data());
  return values;
}

/// The first extent of a tensor's shape; 0 without one.
std::size_t rows_of(const Tensors& tensors, const std::string& name) {
  const auto found = tensors.all().find(name);
  return found == tensors.all().end() || found->second.shape.empty() ? 0 : found->second.shape[0];
}

bool has_any(const Tensors& tensors, const std::string& prefix,
             std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return tensors.has(prefix + name); });
}

/// A head's own weights, or those that all heads share.
std::vector<float> head_norm(const std::string& name, const Architecture& a, Tensors* tensors) {
  const auto found = tensors->all().find(name);
  if (found != tensors->all().end() && found->second.shape.size() == 2)
    return values_of(tensors->matrix(name, a.heads, a.head_dim));
  const std::vector<float> shared = tensors->vector(name, a.head_dim);
  std::vector<float> all;
  for (std::size_t h = 0; h < a.heads; ++h) all.insert(all.end(), shared.begin(), shared.end());
  return all;
}

}  // namespace

Coda read_coda(const JsonObject& coda) {
  const std::vector<std::string> known = {"rotation_pairs", "head_norm", "gate_bias", "memory"};
  for (const std::string& key : coda.keys())
    if (std::find(known.begin(), known.end(), key) == known.end())
      coda.fail(key, "known keys are " + files::any_of(known));
  return {second_of(coda, "rotation_pairs", "rotary", "interleaved"),
          second_of(coda, "head_norm", "none", "rms"), coda.flag("gate_bias", false),
          coda.text("memory", "")};
}

CodaWeights read_coda_weights(const std::string& prefix, const Architecture& a, Tensors* tensors) {
  CodaWeights weights;
  if (has_any(*tensors, prefix, {"theta", "lambda_proj.weight", "lambda_proj.bias"})) {
    const std::string theta = prefix + "theta";
    weights.theta = values_of(tensors->matrix(theta, a.heads, a.head_dim / 2));
    if (!std::all_of(weights.theta.begin(), weights.theta.end(),
                     [](float angle) { return std::isfinite(angle); }))
      throw files::InputError(tensors->all().at(theta).place + "angles must be finite");
    weights.lambda = tensors->matrix(prefix + "lambda_proj.weight", a.heads, a.hidden);
    weights.lambda_bias = tensors->vector(prefix + "lambda_proj.bias", a.heads);
  }
  if (has_any(*tensors, prefix, {"write_proj.weight", "write_proj.bias"})) {
    const std::size_t gates = rows_of(*tensors, prefix + "write_proj.weight") == 1 ? 1 : a.kv_heads;
    weights.write = tensors->matrix(prefix + "write_proj.weight", gates, a.hidden);
    weights.write_bias = tensors->vector(prefix + "write_proj.bias", gates);
  }
  const std::string eta = prefix + "summary_eta_logit";
  weights.summary_eta_logit = tensors->vector_if(tensors->has(eta), eta, a.kv_heads);
  if (a.coda->head_norm) weights.head_norm = head_norm(prefix + "head_norm.weight", a, tensors);
  return weights;
}

}  // namespace axelram::checkpoints
