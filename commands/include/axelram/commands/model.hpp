#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/tokens/text.hpp"
#include "axelram/tokens/tokenizer.hpp"

namespace axelram::commands {

/// The inputs of every command that runs a language model over a text.
struct ModelOptions {
  std::string model, text;  ///< `model`: as find_model() takes it
  std::string tokenizer;    ///< "": the one beside the model
  bool bos = false;
  std::string weights = "stored";  ///< or f16: rounded to it
  std::uint64_t skip = 0;          ///< bytes left out at the start of the text
  std::uint64_t threads = 0;       ///< 0: one for each core
};

/// A checkpoint and the ids of the text in its vocabulary.
struct ModelAndText {
  checkpoints::Checkpoint checkpoint;
  tokens::TokenText text;
  std::shared_ptr<const tokens::Tokenizer> tokenizer;  ///< of the text
};

/// A number of ids that may depend on the model.
using IdsOf = std::function<std::size_t(const checkpoints::Architecture&)>;

/// The same without a text.
struct ModelAlone {
  checkpoints::Checkpoint checkpoint;
  std::shared_ptr<const tokens::Tokenizer> tokenizer;
};
ModelAlone read_model(const ModelOptions& options);

/// `tokens`: number of ids used, from the first on; `enough`: number of ids that suffice; `least`:
/// number of ids that are needed (see tokens::TextOptions). Throws files::InputError.
ModelAndText read_model_and_text(const ModelOptions& options, std::optional<std::size_t> tokens,
                                 const IdsOf& enough = {}, std::size_t least = 2);

/// `threads`, or one for each core if it is 0.
std::size_t thread_count(std::uint64_t threads);

/// The files that are read, which no output may replace.
std::vector<std::string> input_files(const ModelOptions& options);

}  // namespace axelram::commands
