#pragma once

#include <string>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/balance.hpp"
#include "axelram/stress/folder.hpp"
#include "axelram/transformer/workers.hpp"

namespace axelram::stress {

/// A model with the factors of a balance in its weights.
struct Folded {
  Written written;
  std::size_t tokens = 0;  ///< whose logits were compared
  /// Root mean square of the change of the logits over that of the logits, both less their mean:
  /// what rounding the weights did.
  double logit_change = 0;
};

/// More than this is no rounding: nothing is written.
constexpr double kMostLogitChange = 0.05;

/// files::check_folder() for folders that fold_model writes.
void check_fold_output(const Output& output);

/// Throws files::InputError for a path that is no Hugging Face folder.
void check_fold_model(const std::string& path);

/// Writes the model with queries multiplied by lambda and keys divided by it
/// (bit-contract.md#balance), a folder as write_model() does, with fold.json; tensors keep their
/// types. The model computes the same function up to the rounding of its weights, which is measured
/// on a fixed sequence of ids. Throws files::InputError: a balance of another model, or of
/// different heads where heads share their norms; a weight beyond its type; logits that change by
/// more than
/// most_change.
Folded fold_model(const checkpoints::Checkpoint& checkpoint, const files::Balance& balance,
                  const std::string& balance_path, const Output& output,
                  transformer::Workers& workers, double most_change = kMostLogitChange);

}  // namespace axelram::stress
