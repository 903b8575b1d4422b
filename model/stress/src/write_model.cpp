#include "axelram/stress/folder.hpp"
#include "record.hpp"
#include "rewrite.hpp"

namespace axelram::stress {
namespace {

files::FolderKind stress_kind() {
  return {"stress",
          {"config.json", "tokenizer.json", "model.safetensors", kRecord},
          kRecord,
          kRecordKey};
}

}  // namespace

void check_output(const Output& output) { files::check_folder(stress_kind(), output); }

void check_model(const std::string& path) { check_folder_model(path, "stress"); }

Written write_model(const checkpoints::Checkpoint& checkpoint, const Changes& options,
                    const std::optional<RatioFit>& fit, const Output& output) {
  check_model(checkpoint.path);
  const std::vector<LayerPlan> plan = make_plan(checkpoint, options);
  const auto record = [&](const std::string&) {
    return record_text(checkpoint.path, options, plan, fit);
  };
  return rewrite(checkpoint, plan, {stress_kind(), false, options_text(options), record}, output);
}

}  // namespace axelram::stress
