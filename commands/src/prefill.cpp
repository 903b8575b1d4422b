#include "axelram/commands/prefill.hpp"

#include <array>
#include <chrono>
#include <filesystem>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/memory_file.hpp"
#include "axelram/memory_parameters.hpp"
#include "in_model.hpp"
#include "json.hpp"
#include "memory_sequence.hpp"
#include "outputs.hpp"
#include "score_warning.hpp"

namespace axelram::commands {

PrefillResult prefill(const PrefillOptions& options, const Show<PrefillResult>& show) {
  memory_named(options.cache);  // before a large model is read
  check_begin(options.model.bos, options.from);
  Outputs outputs(options.force, input_files(options.model));
  if (!options.from.empty()) outputs.protect(options.from);
  for (const std::string& path : {options.output, options.json}) outputs.add(path);
  std::optional<std::size_t> tokens;
  if (options.tokens != 0) tokens = options.tokens;
  const ModelAndText input = read_model_and_text(options.model, tokens, {}, 1);  // it predicts none
  if (input.text.separate)
    throw files::InputError(options.model.text + ": rows of ids are separate texts; give one text");
  const checkpoints::Architecture& a = input.checkpoint.architecture;

  const auto start = std::chrono::steady_clock::now();
  MemorySequence sequence(input.checkpoint, options.cache, options.from,
                          thread_count(options.model.threads));
  // Before a long text is read in vain.
  if (sequence.memory().store == MemoryStore::f32)
    throw files::InputError(
        "cache memory: memory.store is f32; it has no state file, use fp16 or records");
  warn_of_noise(options.model, input.checkpoint, input.text,
                std::array{specification_of(options.cache)}, {});
  PrefillResult result;
  result.model = options.model.model;
  result.text = options.model.text;
  result.state = options.output;
  result.before = sequence.tokens();
  result.tokens = input.text.ids.size();
  in_model(options.model.model, [&] {
    sequence.read(input.text.ids, options.chunk);
    return 0;
  });
  const files::MemoryFile state = sequence.state();
  result.slots = static_cast<std::size_t>(sequence.memory().slots());
  result.memory_bytes = sequence.bytes();
  result.full_bytes = 4.0 * static_cast<double>(a.layers * a.kv_heads * a.head_dim) *
                      static_cast<double>(sequence.tokens());
  files::write_memory_file(options.output, state, options.force);
  std::error_code error;
  result.file_bytes = std::filesystem::file_size(options.output, error);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const PrefillResult& r) {
  return text_of({{"model", r.model},
                  {"text", r.text},
                  {"state", r.state},
                  {"tokens_before", r.before},
                  {"tokens", r.tokens},
                  {"slots", r.slots},
                  {"memory_bytes", r.memory_bytes},
                  {"full_cache_bytes", r.full_bytes},
                  {"file_bytes", r.file_bytes},
                  {"seconds", r.seconds}});
}

}  // namespace axelram::commands
