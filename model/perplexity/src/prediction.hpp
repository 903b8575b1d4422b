#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::perplexity {

/// One prediction of `vocabulary` logits held against the id that came.
struct Prediction {
  double nll;        ///< -ln softmax(logits)[id]
  double kl;         ///< of softmax(logits) from softmax(baseline)
  std::size_t rank;  ///< ids more likely than `id`; of equals the lower id counts as more likely
};
Prediction predict(const float* baseline, const float* logits, std::size_t vocabulary,
                   std::int32_t id);

}  // namespace axelram::perplexity
