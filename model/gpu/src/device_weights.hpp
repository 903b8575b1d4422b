#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/kernels/weights.hpp"
#include "memory.hpp"

namespace axelram::gpu {

/// A matrix in device memory, in the type of its file.
struct DeviceMatrix {
  kernels::Buffer<std::uint8_t> bytes;
  kernels::WeightMatrix view;
};
/// A vector of floats; null where the setup has none.
using DeviceVector = kernels::Buffer<float>;

struct DeviceLayer {
  DeviceVector attention_norm, attention_norm_bias;
  DeviceMatrix q, k, v, o;
  DeviceVector q_bias, k_bias, v_bias, o_bias;
  DeviceVector attention_post_norm, ffn_post_norm;
  DeviceVector q_norm, k_norm, key_offset;
  DeviceVector ffn_norm, ffn_norm_bias;
  DeviceMatrix gate, up, down;
  DeviceVector gate_bias, up_bias, down_bias;
};

/// The weights of a checkpoint, see checkpoints::Layer.
class DeviceWeights {
 public:
  /// stream: null where `memory` only plans.
  DeviceWeights(const checkpoints::Checkpoint& checkpoint, Memory* memory, kernels::Stream* stream);

  const kernels::WeightMatrix& embedding() const { return embedding_.view; }
  const kernels::WeightMatrix& positions() const { return positions_.view; }
  const kernels::WeightMatrix& head() const { return head_ ? head_->view : embedding_.view; }
  const std::vector<DeviceLayer>& layers() const { return layers_; }
  const DeviceVector& final_norm() const { return final_norm_; }
  const DeviceVector& final_norm_bias() const { return final_norm_bias_; }

 private:
  DeviceMatrix embedding_, positions_;
  std::optional<DeviceMatrix> head_;  ///< none where tied
  std::vector<DeviceLayer> layers_;
  DeviceVector final_norm_, final_norm_bias_;
};

}  // namespace axelram::gpu
