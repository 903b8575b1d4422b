#include "prediction.hpp"

#include <algorithm>
#include <cmath>

namespace axelram::perplexity {
namespace {

/// ln of the sum of exp(x_v).
double log_sum(const float* x, std::size_t count) {
  const double most = *std::max_element(x, x + count);
  double sum = 0;
  for (std::size_t v = 0; v < count; ++v) sum += std::exp(x[v] - most);
  return most + std::log(sum);
}

}  // namespace

Prediction predict(const float* baseline, const float* logits, std::size_t vocabulary,
                   std::int32_t id) {
  const auto place = static_cast<std::size_t>(id);
  const double whole = log_sum(logits, vocabulary);
  Prediction prediction{whole - logits[place], 0, 0};
  for (std::size_t v = 0; v < vocabulary; ++v)
    prediction.rank += logits[v] > logits[place] || (logits[v] == logits[place] && v < place);
  if (baseline == logits) return prediction;
  const double base = log_sum(baseline, vocabulary);
  for (std::size_t v = 0; v < vocabulary; ++v) {
    const double log_p = baseline[v] - base;
    prediction.kl += std::exp(log_p) * (log_p - (logits[v] - whole));
  }
  return prediction;
}

}  // namespace axelram::perplexity
