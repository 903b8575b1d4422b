#include "axelram/commands/run.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "axelram/commands/run_cache.hpp"
#include "axelram/commands/run_memory.hpp"
#include "axelram/files/feedback.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

std::string cycles_text(const commands::RunResult& result) {
  const auto row = [&](const char* phase, std::uint64_t sim::Cycles::*member) {
    const auto text = [member](const std::optional<sim::Cycles>& cycles) {
      return cycles ? std::to_string((*cycles).*member) : "-";
    };
    return std::vector<std::string>{std::string("  ") + phase, text(result.outcome.cycles),
                                    text(result.predicted)};
  };
  return table({{"cycles", "measured", "predicted (no stalls)"},
                row("write", &sim::Cycles::write),
                row("rotate", &sim::Cycles::rotate),
                row("build", &sim::Cycles::build),
                row("read", &sim::Cycles::read),
                row("total", &sim::Cycles::total)});
}

void print(const commands::RunResult& result) {
  const engines::RunOutcome& outcome = result.outcome;
  std::cout << "configuration  " << result.configuration << "\nengine         "
            << name_of(result.engine) << (outcome.device.empty() ? "" : ", " + outcome.device)
            << "\nkeys           " << outcome.result.tokens;
  if (result.records != 0) std::cout << ", " << result.records << " as records";
  std::cout << "\nqueries        " << outcome.result.queries << "\nseconds        "
            << outcome.seconds << "\nscore_scale    " << exact(outcome.result.score_scale) << "\n"
            << (result.predicted ? cycles_text(result) : "");
}

void print(const commands::RunCacheResult& run) {
  const files::TierResult& result = run.result;
  std::cout << "cache          " << run.cache << "\nengine         " << name_of(run.engine)
            << "\ntokens         " << result.tokens << "\nqueries        " << result.queries
            << "\nbytes          " << result.bytes_fp16 << " FP16, " << result.bytes_warm
            << " warm, " << result.bytes_archive << " archive\nseconds        " << run.seconds
            << "\n";
}

Status execute(const commands::RunCacheOptions& options) {
  ProgressLine progress;
  commands::run_cache(options, progress.receiver(),
                      progress.then([](const auto& figures) { print(figures); }));
  std::cout << "result         " << options.output << "\n";
  return Status::done;
}

void print(const commands::RunMemoryResult& run) {
  std::cout << "configuration  " << run.configuration << "\nengine         " << name_of(run.engine)
            << "\ntokens         " << run.result.gate_codes.size() << "\nqueries        "
            << run.result.queries() << "\nslots          " << run.result.parameters.slots()
            << "\nseconds        " << run.seconds << "\n";
}

Status execute(const commands::RunOptions& options) {
  const commands::ConfigFile file = commands::read_any_config(options.config);
  ProgressLine progress;
  const auto show = progress.then([](const auto& figures) { print(figures); });
  if (file.config.bounded_memory.given)
    commands::run_memory(file, options, show);
  else
    commands::run(file, options, progress.receiver(), show);
  std::cout << "result         " << options.output << "\n";
  if (!options.waves.empty())
    std::cout << "waveform       " << options.waves << " (gtkwave " << options.view() << ")\n";
  return Status::done;
}

/// With --cache the one file that is given is the trace.
commands::RunCacheOptions cache_options(const std::string& cache,
                                        const commands::RunOptions& options) {
  if (!options.trace.empty())
    throw CLI::ValidationError("--cache", "takes the place of CONFIG; give the trace alone");
  if (options.config.empty()) throw CLI::RequiredError("TRACE");
  return {cache, options.config, options.output, options.json, options.force, options.engine};
}

}  // namespace

void add_run(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::RunOptions>();
  CLI::App* command = app->add_subcommand(
      "run", "write the keys of a trace, score its queries or attend with them, save all results");
  command->footer(
      "Every engine writes identical bytes. The first run of a configuration with --engine rtl\n"
      "compiles it (kept in $AXELRAM_CACHE or ~/.cache/axelram).\n\n"
      "Example:\n"
      "  axelram run configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors \\\n"
      "      -o scores.safetensors --engine rtl --waves run.fst --json run.json\n"
      "  axelram run --cache tiered:hot=64,warm=64 trace.safetensors -o tiers.safetensors");
  add_config(command, &options->config)->required(false)->option_text("(required, or --cache)");
  add_trace(command, &options->trace)->option_text("(required)");
  auto cache = std::make_shared<std::string>();
  CLI::Option* const cached =
      command
          ->add_option("--cache", *cache,
                       "a cache in tiers in the place of CONFIG, see 'axelram list caches': kivi "
                       "or tiered; the trace has values, query_tokens and, for rope=pre, cosines "
                       "and sines")
          ->type_name("SPEC");
  add_output(command, &options->output, "result, a safetensors file")
      ->required(false)
      ->option_text("FILE (required)");
  add_engine(command, &options->engine, "what executes the macro");
  CLI::Option* const encoder = command
                                   ->add_option_function<std::string>(
                                       "--encoder",
                                       [options](const std::string& text) {
                                         options->feedback = *files::encoder_file(text);
                                       },
                                       "encode keys with feedback, by the file that 'axelram "
                                       "calibrate --feedback' writes; all "
                                       "but "
                                       "the first exact keys enter the macro as records")
                                   ->check(CLI::Validator(
                                       [](const std::string& text) {
                                         return files::encoder_file(text)
                                                    ? std::string()
                                                    : "'" + text + "'; give feedback:FILE";
                                       },
                                       ""))
                                   ->type_name("feedback:FILE");
  add_json(command, &options->json,
           "engine, device, sizes, seconds, cycles by phase; events of attention");
  const std::vector<CLI::Option*> rtl_only = {
      command
          ->add_option("--waves", options->waves,
                       "rtl: waveform of every signal; a GTKWave view FILE.gtkw beside it")
          ->check(file_name())
          ->type_name("FILE.fst"),
      command
          ->add_option("--stalls", options->stalls,
                       "rtl: probability per cycle that a stream stalls, for 1 to 8 cycles, "
                       "0 .. 0.9 (default 0)")
          ->check(probability(0.9))
          ->type_name("P"),
      add_seed(command, &options->seed, "rtl: seed of the stalls and of registers without reset")};
  add_force(command, &options->force);
  command->callback([=] {
    if (cached->count() > 0) {
      if (encoder->count() > 0)
        throw CLI::ValidationError("--encoder", "is of a macro; leave it out with --cache");
      const commands::RunCacheOptions run = cache_options(*cache, *options);
      *action = [run] { return execute(run); };
    } else if (options->trace.empty()) {
      throw CLI::RequiredError(options->config.empty() ? "CONFIG" : "TRACE");
    }
    if (options->output.empty()) throw CLI::RequiredError("--output");
    for (const CLI::Option* option : rtl_only)
      if (options->engine != EngineKind::rtl && option->count() > 0)
        throw CLI::ValidationError(option->get_name(), "requires --engine rtl");
    if (cached->count() == 0) *action = [=] { return execute(*options); };
  });
}

}  // namespace axelram::cli
