#include "axelram/commands/convert.hpp"

#include "axelram/checkpoints/convert.hpp"
#include "axelram/commands/pretrained.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

checkpoints::TokenizerTexts tokenizer_texts(const std::string& path) {
  const gguf::Gguf file = gguf::Gguf::map(path);
  try {
    return {tokens::tokenizer_json(file), tokens::tokenizer_config_json(file), ""};
  } catch (const files::InputError& error) {
    return {"", "", error.what()};
  }
}

}  // namespace

ConvertResult convert(const ConvertOptions& options, const Progress& progress,
                      const Show<ConvertResult>& show) {
  const std::string path = find_model(options.model);
  const files::OutputFolder output{options.output, options.force, {path}};
  checkpoints::Conversion::check(output);
  Outputs outputs(options.force, output.inputs);
  outputs.claim(options.output);
  outputs.add(options.json);

  const checkpoints::Conversion conversion(path);
  const checkpoints::TokenizerTexts tokenizer = tokenizer_texts(path);
  ConvertResult result{options.model,      options.output,       conversion.architecture(),
                       conversion.types(), conversion.tensors(), conversion.bytes(),
                       tokenizer.missing};
  show_figures(show, result);
  conversion.write(tokenizer, output, [&](std::size_t done) {
    tell(progress, {"tensors", done, result.tensors, ""});
  });
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const ConvertResult& r) {
  return text_of({{"model", r.model},
                  {"output", r.output},
                  {"architecture", r.architecture.family},
                  {"layers", r.architecture.layers},
                  {"vocabulary", r.architecture.vocabulary},
                  {"types", r.types},
                  {"tensors", r.tensors},
                  {"bytes", r.bytes},
                  {"tokenizer", r.no_tokenizer.empty()},
                  {"no_tokenizer", or_null(r.no_tokenizer)}});
}

}  // namespace axelram::commands
