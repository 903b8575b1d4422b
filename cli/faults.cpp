#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <thread>

#include "arguments.hpp"
#include "axelram/faults/golden_engine.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "commands.hpp"
#include "cuda_fault_engine.hpp"
#include "faults_mpi.hpp"
#include "faults_options.hpp"
#include "faults_output.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "rtl_fault_engine.hpp"

namespace axelram::cli {
namespace {

using Tell = std::function<void(const std::string&)>;

constexpr std::uint64_t kTrialsOfWidth = 100'000;
constexpr std::uint64_t kEveryBit = 1'000'000;  // more than a key has

faults::EngineFactory engine_factory(const std::string& name, const files::Config& config,
                                     const files::Trace& trace, const Tell& tell) {
  if (name == "golden") return faults::golden_engines(config, trace);
  if (name == "cuda") return cuda_engines(config, trace);
  return rtl_engines(config, trace, tell);
}

/// One line: what is under way, and a bar.
std::string progress_line(const faults::Progress& at) {
  return "faults " + at.code + " at " + faults::number_text(at.rate) + " " +
         bar(at.done, at.trials) + " " + std::to_string(at.done) + " of " +
         std::to_string(at.trials) + " trials";
}

void check_inputs(const FaultsOptions& options, const files::Config& config,
                  const files::Trace& trace) {
  if (trace.key_count() == 0)
    throw files::InputError(options.trace +
                            ": tensor keys: no rows; a campaign needs at least one key");
  const auto limit = [&](const char* name, int value, int below) {
    if (value >= below)
      throw files::InputError(options.config + ": rotation." + name + " is " +
                              std::to_string(value) + "; faults need one below " +
                              std::to_string(below));
  };
  limit("layer", config.rotation.layer, 1 << 16);
  limit("head", config.rotation.head, 1 << 15);
}

faults::CampaignOptions campaign_options(const FaultsOptions& options, const files::Config& config,
                                         const files::Trace& trace, const Tell& tell) {
  FaultsRequest request = faults_request(options);
  faults::CampaignOptions campaign;
  campaign.codes = faults::split(options.codes.empty() ? config.ecc.code : options.codes, ',');
  for (const std::string& name : faults::split(
           options.erasures.empty() ? name_of(config.ecc.erasure) : options.erasures, ','))
    campaign.policies.push_back(*value_named<ErasurePolicy>(name));
  campaign.model = std::move(request.model);
  campaign.rates = std::move(request.rates);
  campaign.seed = options.seed;
  campaign.trials = options.trials;
  campaign.codewords = options.codewords;
  campaign.width = options.width;
  campaign.score_trials = options.score_trials;
  campaign.engine = engine_factory(options.engine, config, trace, tell);
  if (options.engine != "golden") campaign.golden = faults::golden_engines(config, trace);
  return campaign;
}

std::size_t thread_count(const FaultsOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Trials are numbered with 32 bits; told before any work.
void check_extent(const faults::CampaignOptions& campaign, const files::Config& config,
                  const files::Trace& trace) {
  for (const std::string& name : campaign.codes) {
    const std::uint64_t words =
        faults::RecordCode(name, config.parameters).words() * trace.key_count();
    if (faults::trials_for(campaign.codewords, words) > faults::kMaxTrials)
      throw files::InputError("--codewords: " + std::to_string(campaign.codewords) + " of " + name +
                              "; this trace gives at most " +
                              std::to_string(faults::kMaxTrials * words) + ", in 2^32 trials");
  }
}

/// Makes the folder before the work whose results go there.
void prepare_folder(const std::string& path, bool force) {
  check_folder(path, force);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && access(path.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) throw files::EnvironmentError(path + ": " + error.message());
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

int run_campaign(const FaultsOptions& options, const files::Config& config,
                 const files::Trace& trace, const Processes& processes) {
  Progress progress;
  const Tell tell = [&](const std::string& line) {
    if (processes.first()) progress.show(line);
  };
  faults::CampaignOptions campaign = campaign_options(options, config, trace, tell);
  Outputs outputs(options.force, {options.config, options.trace});
  outputs.protect(config, options.config);
  outputs.add(options.json);
  outputs.add(options.plot);
  check_extent(campaign, config, trace);
  if (!options.dump.empty()) prepare_folder(options.dump, options.force);

  if (isatty(STDERR_FILENO) != 0)
    campaign.progress = [&](const faults::Progress& at) { tell(progress_line(at)); };
  const auto distributor = processes.distributor(thread_count(options));
  const faults::CampaignReport report = faults::run_campaign(config, campaign, *distributor);
  progress.clear();
  if (!processes.first()) return 0;

  if (!options.json.empty())
    files::write_file(options.json,
                      faults_json(report, config, options.trace, options.engine, options.seed),
                      options.force);
  if (!options.plot.empty())
    files::write_file(options.plot, faults_plot(report, config), options.force);
  std::cout << "configuration " << config.name << ", model " << name_of(campaign.model.kind)
            << ", engine " << options.engine << ", seed " << options.seed << "\n\n"
            << faults_text(report, options.details);
  const std::vector<std::string> dumped = dump_cases(options, config, campaign, report);
  for (const std::string& file : dumped) std::cout << "dumped: " << file << "\n";
  return report.holds() ? 0 : 1;
}

int run_replay(const FaultsOptions& options, const files::Config& config,
               const files::Trace& trace) {
  const faults::Case c = faults::read_case(options.replay);
  Progress progress;
  const Tell tell = [&](const std::string& line) { progress.show(line); };
  const faults::EngineFactory engine = engine_factory(options.engine, config, trace, tell);
  const faults::Replay replay = faults::replay(config, engine, c, options.replay);
  progress.clear();
  std::cout << replay_text(c, replay);
  return replay.same_masks && replay.same_outcome ? 0 : 1;
}

/// Rank 0 speaks for all: it meets the same errors and the same verdict. The others end with 0,
/// because mpirun kills what is still running, and what it has yet to say, at the first other code.
int run_faults(const FaultsOptions& options) {
  const Processes processes;
  try {
    const files::Config config = files::read_config(options.config);
    const files::Trace trace = files::read_trace(options.trace, config.parameters, config.max_keys);
    check_inputs(options, config, trace);
    if (options.replay.empty()) return run_campaign(options, config, trace, processes);
    return processes.first() ? run_replay(options, config, trace) : 0;
  } catch (const files::InputError&) {
    if (processes.first()) throw;
    return 0;
  } catch (const files::EnvironmentError&) {
    if (processes.first()) throw;
    return 0;
  }
}

}  // namespace

void add_faults(CLI::App* app, Action* action) {
  auto options = std::make_shared<FaultsOptions>();
  CLI::App* command =
      app->add_subcommand("faults", "bit-error campaigns, held against closed forms");
  command->footer(
      "Hits the stored keys of a trace with seeded faults, decodes, repairs and scores them, and\n"
      "tests every statistic against its closed form. Exit code 1 if one does not hold. Results\n"
      "depend on the seed alone, not on threads or on the ranks of mpirun.\n\n"
      "Example:\n"
      "  axelram faults configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors \\\n"
      "      --ber 1e-4,1e-3,1e-2 --code hamming74,hamming84,golay24 \\\n"
      "      --erasure keep,zero,interpolate --codewords 10000000 --json faults.json");
  declare_faults(command, options.get());
  command->callback([=] {
    faults_request(*options);
    if (command->get_option("--trials")->count() == 0) {
      if (options->width > 0) options->trials = kTrialsOfWidth;
      if (options->single_flips) options->trials = kEveryBit;
    }
    *action = [=] { return run_faults(*options); };
  });
}

}  // namespace axelram::cli
