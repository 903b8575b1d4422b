#include "axelram/commands/run.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "axelram/sim/errors.hpp"
#include "axelram/sim/waveform.hpp"
#include "axelram/sim/waveform_file.hpp"
#include "json.hpp"
#include "made_for.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

void write_view(const RunOptions& options, const files::Config& config) {
  const std::string wave = std::filesystem::absolute(options.waves).string();
  files::write_file(options.view(), sim::gtkwave_view(config, wave, {}), options.force);
}

void keep(std::optional<sim::WaveformFile>& waveform, const RunOptions& options,
          const files::Config& config) {
  if (!waveform) return;
  waveform->commit();
  write_view(options, config);
}

/// Gives the trace the records of all keys but the first exact ones, encoded with feedback
/// (bit-contract.md#feedback) by the engine.
void encode_keys(const std::string& file, EngineKind engine, const ConfigFile& configuration,
                 files::Trace* trace) {
  const files::Config& config = configuration.config;
  const Parameters& p = config.parameters;
  files::reject_attention(config, "an encoder");
  files::check_feedback_scale("--encoder", p);
  const files::QueryMoments moments = files::read_query_moments(file, p.head_dim);
  files::check_made_for(file, balance_of(configuration));
  const auto layer = static_cast<std::size_t>(config.rotation.layer);
  const auto head = static_cast<std::size_t>(config.rotation.head);
  if (layer >= moments.layers || head >= moments.heads)
    throw files::InputError(file + ": holds " + std::to_string(moments.layers) + " layers of " +
                            std::to_string(moments.heads) + " heads; layer " +
                            std::to_string(layer) + ", head " + std::to_string(head) +
                            " of the configuration (from 0) is not among them");
  const std::size_t first = std::min(trace->key_count(), static_cast<std::size_t>(p.exact_first));
  const auto keys = std::span<const std::uint16_t>(trace->keys)
                        .subspan(first * static_cast<std::size_t>(p.head_dim));
  trace->records = engines::encode(
      engine,
      {config, feedback_of(moments.at(layer, head), config.head_rotation.signs.data(), p.head_dim),
       keys});
}

/// With attention only of the hardware, and of a trace whose commands are the default ones: those
/// of others have no closed form.
std::optional<sim::Cycles> predicted_cycles(EngineKind engine, const files::Config& config,
                                            const files::Trace& trace, std::size_t records) {
  if (config.attention.given) {
    if (engine != EngineKind::rtl || trace.commands) return std::nullopt;
    const auto group = static_cast<std::size_t>(config.attention.parameters.group);
    return sim::attention_cycle_model(rtl::Layout(config), trace.key_count(),
                                      (trace.query_count() + group - 1) / group);
  }
  return sim::cycle_model(rtl::Layout(config), {trace.key_count() - records, records},
                          trace.query_count());
}

/// Null without attention.
Json events_json(const std::optional<AttentionCounters>& events) {
  if (!events) return {};
  return {{"tokens_nonfinite", events->tokens_nonfinite},
          {"tokens_full", events->tokens_full},
          {"groups_nonfinite", events->groups_nonfinite},
          {"bad_commands", events->bad_commands},
          {"norms_saturated", events->norms_saturated},
          {"scales_refused", events->scales_refused},
          {"scores_saturated", events->scores_saturated},
          {"logits_saturated", events->logits_saturated},
          {"outputs_saturated", events->outputs_saturated}};
}

engines::RunOutcome run_engine(const RunOptions& options, const files::Config& config,
                               const files::Trace& trace,
                               std::optional<sim::WaveformFile>& waveform,
                               const Progress& progress) {
  engines::RunRequest request{config,
                              trace,
                              options.stalls,
                              options.seed,
                              waveform ? waveform->recording() : std::string(),
                              lines_of(progress)};
  try {
    return engines::run(options.engine, request);
  } catch (const sim::SimulationError&) {
    keep(waveform, options, config);  // it shows why the macro hangs
    throw;
  }
}

}  // namespace

std::string RunOptions::view() const {
  return waves.empty() ? "" : std::filesystem::path(waves).replace_extension(".gtkw").string();
}

RunResult run(const ConfigFile& file, const RunOptions& options, const Progress& progress,
              const Show<RunResult>& show) {
  const files::Config& config = file.config;
  files::reject_bounded_memory(config, "this command");
  check_center(file);
  files::Trace trace = files::read_trace(options.trace, config);
  std::vector<std::string> inputs = {options.trace};
  if (!options.feedback.empty()) inputs.push_back(options.feedback);
  Outputs outputs(options.force, inputs);
  outputs.protect(file);
  for (const std::string& path : {options.output, options.json, options.waves, options.view()})
    outputs.add(path);

  if (!options.feedback.empty()) encode_keys(options.feedback, options.engine, file, &trace);
  const std::size_t records = trace.record_count(config.parameters);
  std::optional<sim::WaveformFile> waveform;
  if (!options.waves.empty()) waveform.emplace(options.waves, options.force);
  RunResult result{config.name,
                   options.trace,
                   options.engine,
                   run_engine(options, config, trace, waveform, progress),
                   predicted_cycles(options.engine, config, trace, records),
                   records,
                   options.stalls,
                   options.seed};
  show_figures(show, result);
  keep(waveform, options, config);
  files::write_result(options.output, result.outcome.result, options.force);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const RunResult& r) {
  const engines::RunOutcome& outcome = r.outcome;
  return text_of(
      {{"engine", name_of(r.engine)},
       {"device", or_null(outcome.device)},
       {"configuration", r.configuration},
       {"trace", r.trace},
       {"keys", outcome.result.tokens},
       {"records", r.records},
       {"queries", outcome.result.queries},
       {"score_scale", outcome.result.score_scale},
       {"seconds", outcome.seconds},
       {"stalls", r.stalls},
       {"seed", outcome.cycles ? Json(r.seed) : Json()},
       {"cycles",
        {{"measured", cycles_json(outcome.cycles)}, {"predicted", cycles_json(r.predicted)}}},
       {"events", events_json(outcome.events)}});
}

}  // namespace axelram::commands
