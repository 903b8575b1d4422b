#include "axelram/commands/complete.hpp"

#include <array>
#include <chrono>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "in_model.hpp"
#include "json.hpp"
#include "memory_sequence.hpp"
#include "outputs.hpp"
#include "score_warning.hpp"

namespace axelram::commands {
namespace {

constexpr std::size_t kChunk = 256;

std::vector<std::int32_t> prompt_ids(const CompleteOptions& options, const ModelAlone& model) {
  std::vector<std::int32_t> ids;
  if (options.model.bos) {
    const std::optional<std::int32_t> bos = model.tokenizer->bos();
    if (!bos) throw files::InputError("--bos: the tokenizer defines no BOS; leave it out");
    ids.push_back(*bos);
  }
  if (options.prompt.empty()) return ids;
  for (const std::int32_t id : model.tokenizer->encode(options.prompt)) {
    if (static_cast<std::size_t>(id) >= model.checkpoint.architecture.vocabulary)
      throw files::InputError("--prompt: id " + std::to_string(id) +
                              " is beyond the model's vocabulary: is it the model's tokenizer?");
    ids.push_back(id);
  }
  return ids;
}

}  // namespace

CompleteResult complete(const CompleteOptions& options, const Show<CompleteResult>& show) {
  memory_named(options.cache);
  check_begin(options.model.bos, options.from);
  Outputs outputs(options.force, input_files(options.model));
  if (!options.from.empty()) outputs.protect(options.from);
  outputs.add(options.json);
  const ModelAlone model = read_model(options.model);
  const auto start = std::chrono::steady_clock::now();
  MemorySequence sequence(model.checkpoint, options.cache, options.from,
                          thread_count(options.model.threads));
  CompleteResult result;
  result.model = options.model.model;
  result.before = sequence.tokens();
  const std::vector<std::int32_t> prompt = prompt_ids(options, model);
  result.prompt = prompt.size();
  const std::size_t begun = result.before + prompt.size();
  if (begun == 0)
    throw files::InputError("there is no token to go on from; give --prompt, or --from a state");
  const std::size_t most = model.checkpoint.architecture.max_positions;
  // The last id that follows is not read.
  if (begun + options.tokens > most + 1)
    throw files::InputError("--tokens " + std::to_string(options.tokens) + " behind " +
                            std::to_string(begun) + "; the model takes " + std::to_string(most));
  if (options.from.empty()) {
    tokens::TokenText text;
    text.ids = prompt;
    text.columns = prompt.size();
    warn_of_noise(options.model, model.checkpoint, text,
                  std::array{specification_of(options.cache)}, {});
  }
  in_model(options.model.model, [&] {
    if (!prompt.empty()) sequence.read(prompt, kChunk);
    while (result.ids.size() < options.tokens) {
      const std::int32_t id = sequence.next();
      result.ids.push_back(id);
      result.text += model.tokenizer->piece(id);
      if (result.ids.size() < options.tokens) sequence.read({&id, 1}, 1);
    }
    return 0;
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const CompleteResult& r) {
  return text_of(
      {{"model", r.model},
       {"tokens_before", r.before},
       {"prompt_tokens", r.prompt},
       {"ids", r.ids},
       {"text", files::first_invalid_utf8(r.text) == r.text.size() ? Json(r.text) : Json()},
       {"seconds", r.seconds}});
}

}  // namespace axelram::commands
