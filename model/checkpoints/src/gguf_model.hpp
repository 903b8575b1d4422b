#pragma once

#include <memory>
#include <string>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/gguf/gguf.hpp"
#include "json_object.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {

/// A GGUF file, and what the Hugging Face directory has from which it was made.
struct GgufModel {
  std::shared_ptr<const gguf::Gguf> file;
  JsonObject config;      ///< see config_of
  Tensors tensors;        ///< all were asked for or ignored
  Checkpoint checkpoint;  ///< its path is empty
};

/// Throws files::InputError as read_checkpoint.
GgufModel read_gguf(const std::string& path);

}  // namespace axelram::checkpoints
