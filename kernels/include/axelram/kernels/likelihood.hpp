#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

/// Per row, in device memory; see perplexity::Prediction.
struct Likelihoods {
  double* nll = nullptr;            ///< -ln softmax(logits)[id], nats
  double* kl = nullptr;             ///< divergence of softmax(logits) from softmax(baseline), nats
  std::uint32_t* rank = nullptr;    ///< ids more likely than id; of equals the lower id comes first
  std::uint32_t* agrees = nullptr;  ///< 1 if the most likely id is the baseline's, else 0
};

/// Holds the logits of `rows` predictions, [rows, vocabulary], against the ids that came, below the
/// vocabulary (1 .. 2^31 - 1). baseline: [rows, vocabulary], or null: a divergence of 0, and they
/// agree. Sums and exponentials are doubles, added in an order that depends on nothing but the
/// vocabulary. A logit that is no number makes nll one.
void likelihoods(Stream& stream, const float* logits, const float* baseline,
                 const std::int32_t* ids, std::size_t rows, std::size_t vocabulary,
                 const Likelihoods& out);

}  // namespace axelram::kernels
