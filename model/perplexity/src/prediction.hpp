#pragma once

#include "axelram/perplexity/predictor.hpp"

namespace axelram::perplexity {

/// One prediction of `vocabulary` logits.
Prediction predict(const float* baseline, const float* logits, std::size_t vocabulary,
                   std::int32_t id);

}  // namespace axelram::perplexity
