#include "axelram/commands/fold.hpp"

#include "axelram/commands/model.hpp"
#include "axelram/commands/pretrained.hpp"
#include "axelram/files/atomic_file.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {

FoldResult fold(const FoldOptions& options) {
  const std::string path = find_model(options.model);
  stress::check_fold_model(path);
  ModelOptions model;
  model.model = options.model;
  stress::Output output{options.output, options.force, input_files(model)};
  output.inputs.push_back(options.balance);
  stress::check_fold_output(output);
  Outputs outputs(options.force, output.inputs);
  outputs.claim(options.output);
  outputs.add(options.json);

  const files::Balance balance = files::read_balance(options.balance);
  const checkpoints::Checkpoint checkpoint = checkpoints::read_checkpoint(path);
  transformer::Workers workers(thread_count(options.threads));
  FoldResult result{options.model, options.balance, options.output,
                    stress::fold_model(checkpoint, balance, options.balance, output, workers)};
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const FoldResult& r) {
  return text_of({{"model", r.model},
                  {"balance", r.balance},
                  {"output", r.output},
                  {"tensors", r.folded.written.tensors},
                  {"changed", r.folded.written.changed},
                  {"bytes", r.folded.written.bytes},
                  {"tokens", r.folded.tokens},
                  {"logit_change", r.folded.logit_change}});
}

}  // namespace axelram::commands
