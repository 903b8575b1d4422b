#include "axelram/commands/convert.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "progress_line.hpp"

namespace axelram::cli {
namespace {

void print(const commands::ConvertResult& result) {
  const checkpoints::Architecture& a = result.architecture;
  std::cout << "model          " << result.model << "\narchitecture   " << a.family << ", "
            << a.layers << " layers, vocabulary " << a.vocabulary << "\ntypes          ";
  const char* separator = "";
  for (const auto& [type, count] : result.types) {
    std::cout << separator << count << " " << type;
    separator = ", ";
  }
  std::cout << "\ntensors        " << result.tensors << ", " << result.bytes
            << " bytes: matrices in F16, vectors in F32\ntokenizer      "
            << (result.no_tokenizer.empty()
                    ? "tokenizer.json"
                    : "none: " + files::printable(result.no_tokenizer, 2000))
            << "\n";
}

Status execute(const commands::ConvertOptions& options) {
  ProgressLine progress;
  commands::convert(options, progress.receiver(),
                    progress.then([](const auto& figures) { print(figures); }));
  progress.clear();
  std::cout << "directory      " << options.output << "\n";
  return Status::done;
}

}  // namespace

void add_convert(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::ConvertOptions>();
  CLI::App* command = app->add_subcommand("convert", "a GGUF file as a Hugging Face directory");
  command->footer(
      "The directory holds config.json, model.safetensors, tokenizer.json and\n"
      "tokenizer_config.json, which Hugging Face transformers loads, and convert.json, which "
      "names\n"
      "the source. Matrices are rounded to F16, each value once, as with 'perplexity --weights\n"
      "f16'; all other weights are F32 and stay as they are.\n\n"
      "Example:\n"
      "  axelram convert smollm2-135m -o smollm2");
  command->add_option("MODEL", options->model, "a GGUF file, or a name of 'axelram list models'")
      ->required()
      ->type_name("FILE|NAME")
      ->check(file_name())
      ->option_text("(required)");
  add_output(command, &options->output, "directory to write", "DIR");
  add_json(command, &options->json, "what was written");
  command->add_flag("--force", options->force, "replace a directory that convert wrote");
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
