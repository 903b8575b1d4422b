#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "axelram/stress/plan.hpp"
#include "axelram/transformer/transformer.hpp"

namespace axelram::stress {

/// The mean norm of the chosen layers' keys over the mean norm of all other layers' keys.
struct RatioTarget {
  double ratio = 1;      ///< 1e-6 .. 1e6
  bool by_bias = false;  ///< chooses Changes::bias; otherwise Changes::gain
};

struct RatioFit {
  Changes options;            ///< with the bias or gain that was chosen
  std::vector<double> norms;  ///< mean key norm of each layer before, after rotary embedding
  double chosen = 0;          ///< mean key norm of the chosen layers afterwards
  double others = 0;          ///< of all other layers, which stays
  std::size_t tokens = 0;     ///< that were measured
};

/// Runs the model over `sequences` with a float cache and chooses the bias or the gain with which
/// the ratio holds on them. Throws files::InputError where no layer is left to compare with or the
/// ratio is out of reach (it lies below what is there with a bias or a gain of 0).
RatioFit fit_norm_ratio(const checkpoints::Checkpoint& checkpoint, transformer::Workers& workers,
                        std::span<const transformer::Sequence> sequences, const Changes& options,
                        const RatioTarget& target);

}  // namespace axelram::stress
