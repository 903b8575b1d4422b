#include "prediction.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/transformer/product.hpp"

namespace axelram::perplexity {
namespace {

/// ln of the sum of exp(x_v). `most`: the largest. In one order on every instruction set: the
/// digits of likelihoods shall change with the logits alone.
double sum_in_log(const float* x, std::size_t count, double most) {
  double sum = 0;
  for (std::size_t v = 0; v < count; ++v) sum += std::exp(x[v] - most);
  return most + std::log(sum);
}

}  // namespace

Distribution::Distribution(const float* logits_, std::size_t size_) : logits(logits_), size(size_) {
  const float most = transformer::largest(logits, size);
  log_sum = sum_in_log(logits, size, most);
  const float* const found = std::find(logits, logits + size, most);
  top = found == logits + size ? 0 : static_cast<std::size_t>(found - logits);
}

Prediction predict(const Distribution& baseline, const Distribution& own, std::int32_t id) {
  const auto place = static_cast<std::size_t>(id);
  Prediction prediction{own.log_sum - own.logits[place], 0,
                        transformer::rank(own.logits, own.size, place)};
  if (baseline.logits == own.logits) return prediction;
  prediction.agrees = own.top == baseline.top;
  prediction.kl =
      transformer::divergence(baseline.logits, baseline.log_sum, own.logits, own.log_sum, own.size);
  return prediction;
}

Prediction predict_ref(const float* baseline, const float* logits, std::size_t vocabulary,
                       std::int32_t id) {
  const auto place = static_cast<std::size_t>(id);
  const double whole =
      sum_in_log(logits, vocabulary, *std::max_element(logits, logits + vocabulary));
  Prediction prediction{whole - logits[place], 0, 0};
  for (std::size_t v = 0; v < vocabulary; ++v)
    prediction.rank += logits[v] > logits[place] || (logits[v] == logits[place] && v < place);
  if (baseline == logits) return prediction;
  prediction.agrees = std::max_element(baseline, baseline + vocabulary) - baseline ==
                      std::max_element(logits, logits + vocabulary) - logits;
  const double base =
      sum_in_log(baseline, vocabulary, *std::max_element(baseline, baseline + vocabulary));
  for (std::size_t v = 0; v < vocabulary; ++v) {
    const double log_p = baseline[v] - base;
    prediction.kl += std::exp(log_p) * (log_p - (logits[v] - whole));
  }
  return prediction;
}

}  // namespace axelram::perplexity
