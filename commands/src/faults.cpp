#include "axelram/commands/faults.hpp"

#include <algorithm>
#include <filesystem>

#include "axelram/code.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "outputs.hpp"
#include "plot.hpp"

namespace axelram::commands {
namespace {

struct Inputs {
  ConfigFile file;
  files::Trace trace;
};

Inputs read_inputs(const std::string& config_path, const std::string& trace_path) {
  Inputs inputs;
  inputs.file = read_hardware_config(config_path);
  inputs.trace = files::read_trace(trace_path, inputs.file.config);
  if (inputs.trace.key_count() == 0)
    throw files::InputError(trace_path +
                            ": tensor keys: no rows; a campaign needs at least one key");
  const auto limit = [&](const char* name, int value, int below) {
    if (value >= below)
      throw files::InputError(config_path + ": rotation." + name + " is " + std::to_string(value) +
                              "; faults need one below " + std::to_string(below));
  };
  limit("layer", inputs.file.config.rotation.layer, 1 << 16);
  limit("head", inputs.file.config.rotation.head, 1 << 15);
  return inputs;
}

std::string progress_note(const faults::Progress& at) {
  return std::to_string(at.done) + " of " + std::to_string(at.trials) + " trials";
}

/// Rejects a policy that the macro does not have, and one of the options that no code needs.
void check_policies(const faults::CampaignOptions& campaign, const FaultsOptions& options,
                    const files::Config& config) {
  const auto repairs = [](ErasurePolicy policy) { return policy != ErasurePolicy::keep; };
  const auto first = std::find_if(campaign.policies.begin(), campaign.policies.end(), repairs);
  if (first == campaign.policies.end()) return;
  const std::string option = "--erasure " + name_of(*first);
  if (config.parameters.trellis())
    throw files::InputError(option +
                            ": several levels depend on an index of a trellis; it must be keep");
  const auto detects = [](const std::string& code) {
    return code != "none" && make_code(code).detects_errors();
  };
  if (options.policies.empty() ||
      std::any_of(campaign.codes.begin(), campaign.codes.end(), detects))
    return;
  throw files::InputError(option + ": no code here detects errors (" +
                          files::any_of(campaign.codes) +
                          "); give --code hamming84 or another that does, or leave --erasure out");
}

faults::CampaignOptions campaign_of(const FaultsOptions& options, const Inputs& inputs,
                                    const Progress& progress) {
  faults::CampaignOptions campaign;
  campaign.codes = options.codes;
  if (campaign.codes.empty()) campaign.codes = {inputs.file.config.ecc.code};
  campaign.policies = options.policies;
  if (campaign.policies.empty()) campaign.policies = {inputs.file.config.ecc.erasure};
  check_policies(campaign, options, inputs.file.config);
  campaign.model = options.model;
  campaign.rates = options.rates;
  campaign.seed = options.seed;
  campaign.trials = options.trials;
  campaign.codewords = options.codewords;
  campaign.width = options.width;
  campaign.score_trials = options.score_trials;
  const engines::FaultsRequest request{inputs.file.config, inputs.trace, lines_of(progress)};
  campaign.engine = engines::fault_engines(options.engine, request);
  // Tests require that golden and fast are equal; every scored trial requires it of the others.
  if (options.engine != EngineKind::golden && options.engine != EngineKind::fast)
    campaign.checker = engines::fault_engines(EngineKind::fast, request);
  campaign.progress = [&progress](const faults::Progress& at) {
    tell(progress, {"faults " + at.code + " at " + faults::number_text(at.rate), at.done, at.trials,
                    progress_note(at)});
  };
  return campaign;
}

/// Trials are numbered with 32 bits. Checked before any work.
void check_extent(const faults::CampaignOptions& campaign, const Inputs& inputs) {
  for (const std::string& name : campaign.codes) {
    const std::uint64_t words =
        faults::RecordCode(name, inputs.file.config.parameters).words() * inputs.trace.key_count();
    if (faults::trials_for(campaign.codewords, words) > faults::kMaxTrials)
      throw files::InputError("--codewords: " + std::to_string(campaign.codewords) + " of " + name +
                              "; this trace gives at most " +
                              std::to_string(faults::kMaxTrials * words) + ", in 2^32 trials");
  }
}

std::vector<std::string> dump_cases(const FaultsOptions& options, const files::Config& config,
                                    const faults::CampaignOptions& campaign,
                                    const faults::CampaignReport& report) {
  std::vector<std::string> written;
  if (options.dump.empty()) return written;
  for (const faults::Case& c : faults::interesting_cases(config, campaign, report)) {
    written.push_back((std::filesystem::path(options.dump) / faults::file_name(c)).string());
    faults::write_case(written.back(), c, options.force);
  }
  return written;
}

}  // namespace

FaultsResult run_faults(const FaultsOptions& options, const faults::Processes& processes,
                        const Progress& all_progress, const Show<FaultsResult>& show) {
  const Inputs inputs = read_inputs(options.config, options.trace);
  const Progress progress = processes.first() ? all_progress : Progress();
  faults::CampaignOptions campaign = campaign_of(options, inputs, progress);
  Outputs outputs(options.force, {options.trace});
  outputs.protect(inputs.file);
  check_extent(campaign, inputs);
  outputs.add_directory(options.dump);
  for (const std::string& path : {options.json, options.plot})
    if (!path.empty()) outputs.claim(path);
  NewDirectory directory(options.dump);  // where the other outputs may be
  for (const std::string& path : {options.json, options.plot})
    if (!path.empty()) files::check_output(path, options.force);
  check_plot(options.plot);

  const auto distributor = processes.distributor(thread_count(options.threads));
  FaultsResult result{inputs.file.config,
                      options.trace,
                      options.engine,
                      options.seed,
                      options.model,
                      faults::run_campaign(inputs.file.config, campaign, *distributor),
                      {}};
  if (!processes.first()) return result;
  show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  if (!options.plot.empty())
    write_plot(options.plot, faults_plot(result.report, result.config), options.force);
  result.dumped = dump_cases(options, inputs.file.config, campaign, result.report);
  directory.keep();
  return result;
}

ReplayResult replay_case(const ReplayOptions& options, const Progress& progress) {
  const Inputs inputs = read_inputs(options.config, options.trace);
  faults::Case dumped = faults::read_case(options.replay);
  const faults::EngineFactory engine = engines::fault_engines(
      options.engine, {inputs.file.config, inputs.trace, lines_of(progress)});
  faults::Replay replay = faults::replay(inputs.file.config, engine, dumped, options.replay);
  return {std::move(dumped), std::move(replay)};
}

}  // namespace axelram::commands
