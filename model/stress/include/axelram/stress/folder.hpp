#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/stress/norm_ratio.hpp"
#include "axelram/stress/plan.hpp"

namespace axelram::stress {

/// Destination of a transformed model, and the inputs that it must not overwrite.
struct Output {
  std::string folder;
  bool force = false;               ///< replaces a folder that write_model wrote
  std::vector<std::string> inputs;  ///< files and folders that were read, the model's among them
};

/// Throws files::InputError unless `output.folder` is new or empty in a folder that exists, or one
/// that write_model wrote and `force` is given; also if it is, contains or lies in an input;
/// files::EnvironmentError if no folder can be created there. write_model checks again.
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
