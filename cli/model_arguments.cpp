#include "model_arguments.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include "arguments.hpp"

namespace axelram::cli {
namespace {

namespace fs = std::filesystem;

/// Stands in for a tokenizer where the text is ids already.
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

std::unique_ptr<tokens::Tokenizer> tokenizer_of(const ModelArguments& arguments,
                                                std::size_t vocabulary) {
  if (arguments.tokenizer.empty() && fs::path(arguments.text).extension() == ".safetensors")
    return std::make_unique<IdsAlone>(vocabulary);
  return tokens::choose_tokenizer(arguments.model, vocabulary, arguments.tokenizer);
}

}  // namespace

void add_model_arguments(CLI::App* app, ModelArguments* arguments) {
  app->add_option("MODEL", arguments->model,
                  "a Hugging Face folder (config.json, safetensors) or a llama2.c file")
      ->required()
      ->type_name("PATH")
      ->check(file_name())
      ->option_text("(required)");
  app->add_option("TEXT", arguments->text,
                  "a text, or a safetensors file with tokens I32 [n] or [sequences, n]")
      ->required()
      ->type_name("FILE")
      ->check(file_name())
      ->option_text("(required)");
  app->add_option("--tokenizer", arguments->tokenizer,
                  "a tokenizer.json, a llama2.c tokenizer or 'byte' (default: the tokenizer.json "
                  "in MODEL, or bytes where the vocabulary is 256)")
      ->check(file_name())
      ->type_name("FILE");
  app->add_flag("--bos", arguments->bos, "the tokenizer's BOS comes first");
  app->add_option("--skip", arguments->skip, "bytes of the text left out at its start (default 0)")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->type_name("BYTES");
  app->add_option("--threads", arguments->threads, "default: one for each core; changes no result")
      ->check(whole_number(1, 1024))
      ->type_name("N");
}

ModelAndText read_model_and_text(const ModelArguments& arguments,
                                 std::optional<std::size_t> tokens) {
  ModelAndText result;
  result.checkpoint = checkpoints::read_checkpoint(arguments.model);
  const auto tokenizer = tokenizer_of(arguments, result.checkpoint.architecture.vocabulary);
  tokens::TextOptions options;
  options.skip = arguments.skip;
  options.tokens = tokens;
  options.bos = arguments.bos;
  result.text = tokens::read_text(arguments.text, *tokenizer, options);
  const std::size_t vocabulary = result.checkpoint.architecture.vocabulary;
  for (std::size_t i = 0; i < result.text.ids.size(); ++i)
    if (static_cast<std::size_t>(result.text.ids[i]) >= vocabulary)
      throw files::InputError(arguments.text + ": token " + std::to_string(i) + " is " +
                              std::to_string(result.text.ids[i]) + "; the model has ids below " +
                              std::to_string(vocabulary) + ": is it the model's tokenizer?");
  return result;
}

std::size_t thread_count(const ModelArguments& arguments) {
  if (arguments.threads != 0) return arguments.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

std::vector<std::string> input_files(const ModelArguments& arguments) {
  std::vector<std::string> inputs = {arguments.model, arguments.text};
  if (!arguments.tokenizer.empty() && arguments.tokenizer != "byte")
    inputs.push_back(arguments.tokenizer);
  std::error_code error;
  for (fs::directory_iterator entry(arguments.model, error), end; !error && entry != end;
       entry.increment(error))
    inputs.push_back(entry->path().string());
  return inputs;
}

}  // namespace axelram::cli
