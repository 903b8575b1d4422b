#include "axelram/commands/stress.hpp"

#include <algorithm>
#include <numeric>

#include "axelram/commands/pretrained.hpp"
#include "axelram/files/atomic_file.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

// The ratio of norms is measured on this many tokens.
constexpr std::size_t kTokens = 1024, kWindow = 256;

stress::RatioFit fit(const StressOptions& options, const stress::Changes& changes,
                     const ModelAndText& input) {
  const tokens::TokenText& text = input.text;
  const std::size_t longest = std::min(kWindow, input.checkpoint.architecture.max_positions);
  const std::size_t window = text.separate ? text.columns : longest;
  const std::size_t all = text.separate ? text.ids.size() : std::min(kTokens, text.ids.size());
  std::vector<transformer::Sequence> windows;
  for (std::size_t at = 0; at < all; at += window)
    windows.push_back({std::span(text.ids).subspan(at, std::min(window, all - at)),
                       static_cast<std::uint32_t>(windows.size())});
  transformer::Workers workers(thread_count(options.model.threads));
  return stress::fit_norm_ratio(input.checkpoint, workers, windows, changes,
                                {options.ratio, options.fit_bias});
}

}  // namespace

StressResult stress_model(const StressOptions& options, const Show<StressResult>& show) {
  stress::check_model(find_model(options.model.model));
  stress::Output output{options.output, options.force, {}};
  for (const std::string& input : input_files(options.model))
    if (!input.empty()) output.inputs.push_back(input);  // the text may be absent
  stress::check_output(output);
  Outputs outputs(options.force, output.inputs);
  outputs.claim(options.output);
  outputs.add(options.json);

  ModelAndText input;
  if (options.ratio != 0)
    input = read_model_and_text(options.model, {},
                                [](const checkpoints::Architecture&) { return kTokens; });
  else
    input.checkpoint = checkpoints::read_checkpoint(find_model(options.model.model));
  stress::Changes changes = options.changes;
  if (options.all_layers) {
    changes.layers.resize(input.checkpoint.architecture.layers);
    std::iota(changes.layers.begin(), changes.layers.end(), std::size_t{0});
  }

  StressResult result{options.model.model, options.output, changes, {}, {}};
  if (options.ratio != 0) {
    result.fit = fit(options, changes, input);
    result.changes = result.fit->options;
  }
  show_figures(show, result);
  result.written = stress::write_model(input.checkpoint, result.changes, result.fit, output);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const StressResult& r) {
  Json fit;
  if (r.fit)
    fit = {
        {"tokens", r.fit->tokens}, {"chosen_norm", r.fit->chosen}, {"other_norm", r.fit->others}};
  return text_of({{"model", r.model},
                  {"output", r.output},
                  {"layers", r.changes.layers},
                  {"pairs", r.changes.pairs},
                  {"scale", {r.changes.scale_low, r.changes.scale_high}},
                  {"gain", r.changes.gain},
                  {"bias", r.changes.bias},
                  {"bias_channels", r.changes.bias_channels},
                  {"seed", r.changes.seed},
                  {"fit", fit},
                  {"tensors", r.written.tensors},
                  {"changed", r.written.changed},
                  {"bytes", r.written.bytes}});
}

}  // namespace axelram::commands
