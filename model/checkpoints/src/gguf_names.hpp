#pragma once

#include <string>

namespace axelram::checkpoints {

/// A tensor of a GGUF file as the Hugging Face directory has it from which the file was made.
struct NameInFolder {
  std::string name;               ///< that of the GGUF file if the family has no such tensor
  bool paired = false;            ///< see Matrix::paired_head
  bool stored_by_output = false;  ///< see Stored
  float offset = 0;               ///< see Stored
};

/// The scaling of Llama 3.1, divisors of the frequencies of the rotary embedding: a tensor in GGUF
/// files alone.
inline constexpr char kRotaryFactors[] = "rope_freqs.weight";

/// family: the `model_type` in config.json.
NameInFolder name_in_folder(const std::string& family, const std::string& gguf_name);

}  // namespace axelram::checkpoints
