#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "axelram/sim/engine.hpp"
#include "axelram/sim/verify.hpp"
#include "commands.hpp"
#include "cuda_run.hpp"
#include "cycles_json.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "waveform.hpp"

namespace axelram::cli {
namespace {

constexpr int kLongestPause = 8;

struct Options {
  std::string config;
  std::string trace;
  std::string output;
  std::string engine = "golden";
  std::string json;
  std::string waves;
  double stalls = 0;
  std::uint64_t seed = 1;
  bool force = false;

  /// Beside the waveform, so that `gtkwave FILE.gtkw` opens both.
  std::string view() const {
    return waves.empty() ? "" : std::filesystem::path(waves).replace_extension(".gtkw").string();
  }
};

struct Outcome {
  files::Result result;
  std::optional<sim::Cycles> cycles;  ///< rtl
  std::string device;                 ///< cuda
  double seconds = 0;                 ///< of the run itself
};

template <class Run>
double seconds_of(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void write_view(const Options& options, const files::Config& config) {
  const std::string wave = std::filesystem::absolute(options.waves).string();
  files::write_file(options.view(), sim::gtkwave_view(config, wave, {}), options.force);
}

Outcome run_rtl(const Options& options, const files::Config& config, const files::Trace& trace) {
  Progress progress;
  sim::BuildOptions build;
  build.waves = !options.waves.empty();
  build.progress = [&](const std::string& line) { progress.show(line); };
  const std::string library = sim::build_model(rtl::generate(config), build);
  progress.clear();

  const sim::Stalls stalls{options.stalls, options.stalls, kLongestPause};
  Outcome outcome;
  std::optional<Waveform> waveform;
  if (build.waves) waveform.emplace(options.waves, options.force);
  const auto keep_waveform = [&] {
    if (!waveform) return;
    waveform->commit();
    write_view(options, config);
  };
  try {
    outcome.seconds = seconds_of([&] {
      sim::RtlRun rtl = sim::run_rtl(config, trace, library, stalls, options.seed,
                                     waveform ? waveform->recording() : std::string());
      outcome.result = std::move(rtl.result);
      outcome.cycles = rtl.cycles;
    });
  } catch (const files::EnvironmentError&) {
    throw;
  } catch (const std::runtime_error&) {
    keep_waveform();  // it shows why the macro hangs
    throw;
  }
  keep_waveform();
  return outcome;
}

Outcome run_engine(const Options& options, const files::Config& config, const files::Trace& trace) {
  if (options.engine == "rtl") return run_rtl(options, config, trace);
  Outcome outcome;
  outcome.seconds = seconds_of([&] {
    if (options.engine == "cuda") {
      CudaRun run = run_cuda(config, trace);
      outcome.result = std::move(run.result);
      outcome.device = std::move(run.device);
    } else {
      outcome.result = sim::run_golden(config, trace);
    }
  });
  return outcome;
}

std::string json_text(const Options& options, const files::Config& config, const Outcome& outcome,
                      const sim::Cycles& predicted) {
  using Json = nlohmann::ordered_json;
  const Json json = {{"engine", options.engine},
                     {"device", outcome.device.empty() ? Json() : Json(outcome.device)},
                     {"configuration", config.name},
                     {"trace", options.trace},
                     {"keys", outcome.result.tokens},
                     {"queries", outcome.result.queries},
                     {"score_scale", outcome.result.score_scale},
                     {"seconds", outcome.seconds},
                     {"stalls", options.stalls},
                     {"seed", options.engine == "rtl" ? Json(options.seed) : Json()},
                     {"cycles",
                      {{"measured", outcome.cycles ? cycles_json(*outcome.cycles) : Json()},
                       {"predicted", cycles_json(predicted)}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cycles_text(const Outcome& outcome, const sim::Cycles& predicted) {
  const auto row = [&](const char* phase, std::uint64_t sim::Cycles::*member) {
    return std::vector<std::string>{
        std::string("  ") + phase, outcome.cycles ? std::to_string((*outcome.cycles).*member) : "-",
        std::to_string(predicted.*member)};
  };
  return table({{"cycles", "measured", "predicted (no stalls)"},
                row("write", &sim::Cycles::write),
                row("rotate", &sim::Cycles::rotate),
                row("build", &sim::Cycles::build),
                row("read", &sim::Cycles::read),
                row("total", &sim::Cycles::total)});
}

int run(const Options& options) {
  const files::Config config = files::read_config(options.config);
  const files::Trace trace = files::read_trace(options.trace, config.parameters, config.max_keys);
  Outputs outputs(options.force, {options.config, options.trace});
  outputs.protect(config, options.config);
  for (const std::string& path : {options.output, options.json, options.waves, options.view()})
    outputs.add(path);

  const Outcome outcome = run_engine(options, config, trace);
  const sim::Cycles predicted =
      sim::cycle_model(rtl::Layout(config), trace.key_count(), trace.query_count());
  files::write_result(options.output, outcome.result, options.force);
  if (!options.json.empty())
    files::write_file(options.json, json_text(options, config, outcome, predicted), options.force);

  std::cout << "configuration  " << config.name << "\nengine         " << options.engine
            << (outcome.device.empty() ? "" : ", " + outcome.device) << "\nkeys           "
            << outcome.result.tokens << "\nqueries        " << outcome.result.queries
            << "\nseconds        " << outcome.seconds << "\nscore_scale    "
            << exact(outcome.result.score_scale) << "\n"
            << cycles_text(outcome, predicted) << "result         " << options.output << "\n";
  if (!options.waves.empty())
    std::cout << "waveform       " << options.waves << " (gtkwave " << options.view() << ")\n";
  return 0;
}

}  // namespace

void add_run(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app->add_subcommand("run", "write the keys of a trace, score its queries, save all results");
  command->footer(
      "Every engine writes identical bytes. The first run of a configuration on rtl compiles it\n"
      "(kept in $AXELRAM_CACHE or ~/.cache/axelram).\n\n"
      "Example:\n"
      "  axelram run configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors \\\n"
      "      -o scores.safetensors --engine rtl --waves run.fst --json run.json");
  add_config(command, &options->config);
  add_trace(command, &options->trace)->required()->option_text("(required)");
  command->add_option("-o,--output", options->output, "result, a safetensors file")
      ->required()
      ->check(file_name())
      ->type_name("FILE")
      ->option_text("FILE (required)");
  command
      ->add_option("--engine", options->engine,
                   "golden (the model in C++, default), rtl (the Verilated hardware) or cuda")
      ->check(CLI::IsMember({"golden", "rtl", "cuda"}))
      ->type_name("NAME");
  add_json(command, &options->json, "engine, device, sizes, seconds, cycles by phase");
  const std::vector<CLI::Option*> rtl_only = {
      command
          ->add_option("--waves", options->waves,
                       "rtl: waveform of every signal; a GTKWave view FILE.gtkw beside it")
          ->check(file_name())
          ->type_name("FILE.fst"),
      command
          ->add_option("--stalls", options->stalls,
                       "rtl: probability per cycle that a stream pauses, for 1 to 8 cycles, "
                       "0 .. 0.9 (default 0)")
          ->check(probability(0.9))
          ->type_name("P"),
      add_seed(command, &options->seed, "rtl: seed of the pauses and of registers without reset")};
  add_force(command, &options->force);
  command->callback([=] {
    for (const CLI::Option* option : rtl_only)
      if (options->engine != "rtl" && option->count() > 0)
        throw CLI::ValidationError(option->get_name(), "goes with --engine rtl only");
    *action = [=] { return run(*options); };
  });
}

}  // namespace axelram::cli
