#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/tokens/text.hpp"

namespace axelram::cli {

/// What every command that runs a language model over a text takes.
struct ModelArguments {
  std::string model, text;
  std::string tokenizer;  ///< "": what lies beside the model
  bool bos = false;
  std::uint64_t skip = 0;     ///< bytes of the text that are left out at its start
  std::uint64_t threads = 0;  ///< 0: one for each core
};

/// MODEL, TEXT, --tokenizer, --bos, --skip, --threads.
void add_model_arguments(CLI::App* app, ModelArguments* arguments);

/// A checkpoint and the ids of the text in its vocabulary.
struct ModelAndText {
  checkpoints::Checkpoint checkpoint;
  tokens::TokenText text;
};

/// `tokens`: ids used, from the first on (see tokens::TextOptions). Throws files::InputError.
ModelAndText read_model_and_text(const ModelArguments& arguments,
                                 std::optional<std::size_t> tokens);

std::size_t thread_count(const ModelArguments& arguments);

/// The files that are read, which no output may replace.
std::vector<std::string> input_files(const ModelArguments& arguments);

}  // namespace axelram::cli
