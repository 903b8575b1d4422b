#pragma once

#include <functional>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {

/// A tensor of a Hugging Face directory as it will be, without data, and what it is made from.
struct FolderTensor {
  files::Tensor tensor;
  const Stored* stored;
};

/// The tensors that the checkpoint of a GGUF file uses, in the order of a file: matrices in F16,
/// all others in F32. Large elements first keep every one aligned, which the readers of some
/// libraries need. family: the `model_type` in config.json.
std::vector<FolderTensor> folder_tensors(const std::string& family, const Tensors& tensors);

/// Writes them as a safetensors file. A matrix is rounded to F16 some rows at a time. `told`
/// receives the number of tensors written, after each. Throws files::InputError for a value beyond
/// F16, files::EnvironmentError.
void write_folder_tensors(const std::string& path, const std::vector<FolderTensor>& tensors,
                          const std::function<void(std::size_t)>& told);

}  // namespace axelram::checkpoints
