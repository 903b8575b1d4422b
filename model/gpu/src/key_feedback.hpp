#pragma once

#include <vector>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/kernels/feedback.hpp"
#include "memory.hpp"
#include "paged_rows.hpp"

namespace axelram::gpu {

/// Constants on the device of keys with feedback (bit-contract.md#feedback), for every layer and
/// head.
class KeyFeedback {
 public:
  /// setup: one that encodes. stream: null if `memory` only plans.
  KeyFeedback(const caches::AxelramSetup& setup, const HeadLayout& heads, Memory* memory,
              kernels::Stream* stream);

  /// False if nothing is fed back in any head of a layer.
  bool any(int layer) const { return any_[static_cast<std::size_t>(layer)]; }
  /// Of the heads of a layer.
  kernels::FeedbackHeads heads(int layer) const;

 private:
  void upload(const caches::AxelramSetup& setup, int layer, kernels::Stream* stream);

  HeadLayout layout_;
  std::vector<bool> any_;                   ///< of each layer
  kernels::Buffer<float> weights_, u_, a_;  ///< [layers, heads, d]; u and a of rank 1
  kernels::Buffer<float> columns_;          ///< [layers, heads, d, d], full
  kernels::FeedbackHeads all_;
};

}  // namespace axelram::gpu
