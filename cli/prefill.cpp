#include "axelram/commands/prefill.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

void print(const commands::PrefillResult& r) {
  std::cout << "model          " << r.model << "\ntext           " << r.text << ", " << r.tokens
            << " tokens" << (r.before == 0 ? "" : " behind " + std::to_string(r.before))
            << "\nmemory         " << r.slots << " slots a layer and KV head, "
            << fixed(r.memory_bytes, 0) << " bytes; FP16 rows of all tokens take "
            << fixed(r.full_bytes, 0) << "\nstate          " << r.state << ", " << r.file_bytes
            << " bytes\n\n"
            << fixed(r.seconds, 1) << " s\n";
}

Status execute(const commands::PrefillOptions& options) {
  print(commands::prefill(options));
  return Status::done;
}

}  // namespace

void add_prefill(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::PrefillOptions>();
  commands::PrefillOptions* const o = options.get();
  CLI::App* command = app->add_subcommand(
      "prefill", "a text read into memories of constant size, which are saved as a state");
  command->footer(
      "The state belongs to this model and this memory. Its size does not depend on the text.\n"
      "'axelram complete --from STATE' and 'axelram perplexity --from STATE' go on from it, any\n"
      "number of times. A checkpoint without a memory of its own wants sinks=4: without its first\n"
      "tokens a model may fail.\n\nExample:\n"
      "  axelram prefill models/byte-llama-d128 README.md --tokens 200 \\\n"
      "      --cache memory:window=64,exact=32,sinks=4,summary=16 -o readme.state");
  add_model(command, &o->model);
  add_memory(command, &o->cache);
  add_from(command, &o->from, "a state to go on from");
  add_output(command, &o->output, "state, a safetensors file", "STATE");
  const std::uint64_t most = std::uint64_t{1} << 31;
  command->add_option("--tokens", o->tokens, "the first N of the text (default all)")
      ->check(whole_number(1, most))
      ->type_name("N");
  command
      ->add_option("--chunk", o->chunk,
                   "tokens that pass through the model together; the state is the same (default "
                   "256)")
      ->check(whole_number(1, most))
      ->type_name("N");
  add_json(command, &o->json, "all figures");
  add_force(command, &o->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
