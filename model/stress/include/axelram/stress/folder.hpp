#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/new_folder.hpp"
#include "axelram/stress/norm_ratio.hpp"
#include "axelram/stress/plan.hpp"

namespace axelram::stress {

/// Destination of a transformed model, and the inputs that it must not overwrite, the model's among
/// them.
using Output = files::OutputFolder;

/// files::check_folder() for folders that write_model writes; write_model checks again.
void check_output(const Output& output);

struct Written {
  std::size_t tensors = 0, changed = 0;
  std::uint64_t bytes = 0;  ///< of all tensors
};

/// Writes the transformed model as a Hugging Face folder, whole or not at all: config.json and
/// tokenizer.json (if there is one) as they are, all tensors in one model.safetensors, those that
/// change as F32, and stress.json with every factor and the norm of every constant. A constant is
/// `self_attn.key_offset` (see read_checkpoint), or part of the key bias with learned positions.
/// The same checkpoint and options give the same tensors and header.
/// Throws files::InputError (no Hugging Face folder, a weight beyond F32, as check_output),
/// files::EnvironmentError.
Written write_model(const checkpoints::Checkpoint& checkpoint, const Changes& options,
                    const std::optional<RatioFit>& fit, const Output& output);

/// Throws files::InputError for a path that is no Hugging Face folder, a llama2.c file say.
void check_model(const std::string& path);

}  // namespace axelram::stress
