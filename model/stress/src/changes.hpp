#pragma once

#include <map>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/stress/plan.hpp"

namespace axelram::stress {

/// Change of one tensor: outputs * factors + add.
struct Change {
  std::vector<double> factors;  ///< for every output
  std::vector<double> add;      ///< for every output; empty: zeros
  bool outputs_last = false;    ///< the tensor is [inputs, outputs]; otherwise outputs first

  /// `old` null: a tensor of zeros. Throws files::InputError for a value beyond F32.
  std::vector<float> apply(const std::string& name, const files::Tensor* old) const;
};

/// Every tensor that changes, by its name. `prefix` begins the names of GPT-2's tensors.
std::map<std::string, Change> changes(const checkpoints::Checkpoint& checkpoint,
                                      const std::vector<LayerPlan>& plan,
                                      const std::string& prefix);

}  // namespace axelram::stress
