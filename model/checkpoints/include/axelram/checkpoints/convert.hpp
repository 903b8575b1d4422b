#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/files/new_folder.hpp"

namespace axelram::checkpoints {

/// The tokenizer's files of a folder.
struct TokenizerTexts {
  std::string tokenizer;  ///< tokenizer.json; empty: the folder gets no tokenizer
  std::string config;     ///< tokenizer_config.json
  std::string missing;    ///< why the folder gets none, for its record
};

/// A GGUF file that is ready to be written as the Hugging Face folder from which it was made.
class Conversion {
 public:
  /// Reads and checks all but the values of the weights. Throws files::InputError: no GGUF file, as
  /// read_checkpoint, or something that a folder cannot express.
  explicit Conversion(const std::string& path);
  ~Conversion();
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  const Architecture& architecture() const;
  /// Tensors of the GGUF file by the name of their type.
  const std::map<std::string, std::size_t>& types() const;
  std::size_t tensors() const;  ///< of the folder
  std::uint64_t bytes() const;  ///< of all of them

  /// Throws as files::check_folder() for folders that write() writes; write() checks again.
  static void check(const files::OutputFolder& output);

  /// Writes the folder, whole or not at all: config.json, with all that transformers needs;
  /// model.safetensors with matrices in F16, each value rounded to the nearest as by hold_as_f16(),
  /// and all vectors in F32, as they are; the tokenizer's files; convert.json, which names the
  /// source. Divisors of frequencies (`rope_freqs.weight`) become llama3 scaling in config.json.
  /// `told` receives the number of tensors written so far. Throws files::InputError (a weight
  /// beyond F16, as check()), files::EnvironmentError.
  void write(const TokenizerTexts& tokenizer, const files::OutputFolder& output,
             const std::function<void(std::size_t)>& told = {}) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace axelram::checkpoints
