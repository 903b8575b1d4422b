#include "axelram/commands/model.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "axelram/commands/pretrained.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::commands {
namespace {

namespace fs = std::filesystem;

/// The tokenizer of a text that already consists of ids.
class IdsAlone : public tokens::Tokenizer {
 public:
  explicit IdsAlone(std::size_t vocabulary) : vocabulary_(vocabulary) {}
  std::vector<std::int32_t> encode(std::string_view) const override {
    throw std::logic_error("ids need no tokenizer");
  }
  std::string piece(std::int32_t) const override { return ""; }
  std::size_t vocabulary() const override { return vocabulary_; }
  std::optional<std::int32_t> bos() const override { return {}; }

 private:
  std::size_t vocabulary_;
};

std::unique_ptr<tokens::Tokenizer> tokenizer_of(const ModelOptions& options,
                                                const checkpoints::Checkpoint& checkpoint) {
  const std::size_t vocabulary = checkpoint.architecture.vocabulary;
  if (options.tokenizer.empty() && tokens::holds_ids(options.text))
    return std::make_unique<IdsAlone>(vocabulary);
  return tokens::choose_tokenizer(checkpoint.path, vocabulary, options.tokenizer);
}

}  // namespace

ModelAlone read_model(const ModelOptions& options) {
  ModelAlone result;
  result.checkpoint = checkpoints::read_checkpoint(find_model(options.model));
  if (options.weights == "f16") checkpoints::hold_as_f16(&result.checkpoint);
  result.tokenizer = tokenizer_of(options, result.checkpoint);
  return result;
}

ModelAndText read_model_and_text(const ModelOptions& options, std::optional<std::size_t> tokens,
                                 const IdsOf& enough, std::size_t least) {
  ModelAlone model = read_model(options);
  ModelAndText result{std::move(model.checkpoint), {}, std::move(model.tokenizer)};
  tokens::TextOptions text;
  text.skip = options.skip;
  text.tokens = tokens;
  if (enough) text.enough = enough(result.checkpoint.architecture);
  text.bos = options.bos;
  text.least = least;
  result.text = tokens::read_text(options.text, *result.tokenizer, text);
  const std::size_t vocabulary = result.checkpoint.architecture.vocabulary;
  for (std::size_t i = 0; i < result.text.ids.size(); ++i)
    if (static_cast<std::size_t>(result.text.ids[i]) >= vocabulary)
      throw files::InputError(options.text + ": token " + std::to_string(i) + " is " +
                              std::to_string(result.text.ids[i]) + "; the model has ids below " +
                              std::to_string(vocabulary) + ": is it the model's tokenizer?");
  return result;
}

std::size_t thread_count(std::uint64_t threads) {
  if (threads != 0) return threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

std::vector<std::string> input_files(const ModelOptions& options) {
  const std::string model = find_model(options.model);
  std::vector<std::string> inputs = {model};
  if (!options.text.empty()) inputs.push_back(options.text);
  if (!options.tokenizer.empty() && options.tokenizer != "byte")
    inputs.push_back(options.tokenizer);
  std::error_code error;
  for (fs::directory_iterator entry(model, error), end; !error && entry != end;
       entry.increment(error))
    inputs.push_back(entry->path().string());
  return inputs;
}

}  // namespace axelram::commands
