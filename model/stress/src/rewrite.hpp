#pragma once

#include <functional>
#include <string>
#include <vector>

#include "axelram/stress/folder.hpp"
#include "axelram/stress/plan.hpp"

namespace axelram::stress {

/// How a command writes a model whose keys and queries have other factors.
struct Rewriting {
  files::FolderKind kind;
  bool keep_types = false;  ///< of the tensors that change; otherwise they become F32
  std::string metadata;     ///< value of kind.key in model.safetensors
  /// The text of kind.record, once the model lies in `folder`. What it throws leaves no folder.
  std::function<std::string(const std::string& folder)> record;
};

/// Throws files::InputError for a path that is no Hugging Face folder.
void check_folder_model(const std::string& path, const std::string& command);

/// Writes the model as a Hugging Face folder, whole or not at all: config.json and tokenizer.json
/// (if there is one) as they are, all tensors in one model.safetensors, and the record. Throws
/// files::InputError: no Hugging Face folder, a weight beyond its type.
Written rewrite(const checkpoints::Checkpoint& checkpoint, const std::vector<LayerPlan>& plan,
                const Rewriting& how, const Output& output);

}  // namespace axelram::stress
