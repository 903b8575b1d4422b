#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/perplexity/predictor.hpp"

namespace axelram::perplexity {

/// softmax(logits), `size` >= 1 logits. They must outlive it.
struct Distribution {
  Distribution() = default;
  Distribution(const float* logits, std::size_t size);

  const float* logits = nullptr;
  std::size_t size = 0;
  double log_sum = 0;   ///< ln of the sum of exp(logit)
  std::size_t top = 0;  ///< the most likely id; among equals the lowest
};

/// The prediction of `id` by one distribution, compared with a baseline of the same size.
Prediction predict(const Distribution& baseline, const Distribution& own, std::int32_t id);

/// The same, element by element. nll, rank and agrees are equal; kl differs by at most 1e-12 of the
/// sum of p |ln p - ln q|, and by 1e-300 where probabilities underflow.
Prediction predict_ref(const float* baseline, const float* logits, std::size_t vocabulary,
                       std::int32_t id);

}  // namespace axelram::perplexity
