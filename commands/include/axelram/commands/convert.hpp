#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/commands/progress.hpp"

namespace axelram::commands {

struct ConvertOptions {
  std::string model;  ///< a GGUF file, as find_model() takes it
  std::string output, json;
  bool force = false;
};

struct ConvertResult {
  std::string model, output;
  checkpoints::Architecture architecture;
  std::map<std::string, std::size_t> types;  ///< of the GGUF file: tensors of each type
  std::size_t tensors = 0;                   ///< of the folder
  std::uint64_t bytes = 0;                   ///< of all of them
  std::string no_tokenizer;                  ///< why the folder has none; empty: it has one
};

/// Writes a GGUF file as a Hugging Face folder. A tokenizer that is not supported is left out, and
/// the result says why.
ConvertResult convert(const ConvertOptions& options, const Progress& progress = {},
                      const Show<ConvertResult>& show = {});

std::string to_json(const ConvertResult& result);

}  // namespace axelram::commands
