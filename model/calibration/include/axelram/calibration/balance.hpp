#pragma once

#include <cstddef>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/balance.hpp"

namespace axelram::calibration {

/// One factor lambda for each pair of channels that rotary embedding turns together
/// (bit-contract.md#balance). Queries are multiplied by it and keys divided, so that scores stay.
struct Balanced {
  files::Balance balance;
  std::vector<double> won;  ///< [layers, heads]: predicted error of a score over that without, 0..1
};

/// Heads of a layer whose norms of queries and keys are shared have one lambda, the geometric mean
/// of theirs.
Balanced balance_of(const Keys& keys, const Queries& queries,
                    const checkpoints::Checkpoint& checkpoint);

}  // namespace axelram::calibration
