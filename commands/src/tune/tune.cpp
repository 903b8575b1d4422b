#include "axelram/commands/tune.hpp"

#include <algorithm>

#include "../in_model.hpp"
#include "../key_source.hpp"
#include "../outputs.hpp"
#include "axelram/caches/tuned.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/sha256.hpp"
#include "axelram/simd.hpp"
#include "choice.hpp"
#include "held_out.hpp"
#include "report.hpp"

namespace axelram::commands {
namespace {

using namespace tunes;

std::string ids_digest(const std::vector<std::int32_t>& ids) {
  return files::sha256({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof ids[0]});
}

/// All that results depend on. A run that was ended goes on if it has the same.
Json plan_of(const TuneResult& r) {
  const TuneOptions& o = r.options;
  return {{"model", r.digest},
          {"text", r.ids_digest},
          {"--part", name_of(o.part)},
          {"--bits", or_null(o.bits)},
          {"--bytes", o.bytes},
          {"--window", r.window},
          {"--samples", r.calibration.size()},
          {"--windows", r.held_out.size()},
          {"--seed", o.seed},
          {"--weights", o.model.weights},
          {"instructions", simd_level_name(simd_level())}};
}

/// The widths of one half, each once.
std::vector<int> bits_of(const std::vector<TuneWidths>& widths, int TuneWidths::*half) {
  std::vector<int> all;
  for (const TuneWidths& one : widths)
    if (one.*half != 0 && std::count(all.begin(), all.end(), one.*half) == 0)
      all.push_back(one.*half);
  return all;
}

/// Recipes of one half, widths together.
std::vector<Recipe> recipes_of(const Work& work, const Calibrated& made,
                               const std::vector<int>& key_bits,
                               const std::vector<int>& value_bits) {
  std::vector<Recipe> all;
  for (const int bits : key_bits)
    for (const Way& way : key_ways())
      if (made.has(way)) all.push_back({Half{false, &way, bits}, {}});
  for (const int bits : value_bits)
    for (const Way& way : value_ways()) {
      const Half half{true, &way, bits};
      write_configuration(work, half);
      all.push_back({{}, half});
    }
  return all;
}

/// Adds what was measured to the result. Returns the number of the first.
std::size_t add_candidates(const std::vector<Recipe>& recipes, const HeldOut& measured,
                           const Calibrated& made, TuneResult* result) {
  const std::size_t first = result->candidates.size();
  result->baseline = measured.scores.front();
  result->baseline_bytes = measured.bytes.front();
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    const Recipe& recipe = recipes[i];
    TuneCandidate one{recipe.name(), recipe.what(), recipe.bits(), measured.bytes[i + 1],
                      measured.scores[i + 1]};
    if (recipe.keys) one.noise = made.figures.at(recipe.keys->name()).worst_noise();
    result->candidates.push_back(std::move(one));
  }
  return first;
}

std::vector<TunedHead> heads_of(const Calibrated& made, const Half& chosen, const Half& plain) {
  const HeadFigures &of_chosen = made.figures.at(chosen.name()),
                    &of_plain = made.figures.at(plain.name());
  const auto rule = chosen.way->balance.value_or(calibration::BalanceQueries::deflated);
  const std::vector<double>& gains = made.rules.at(rule).gains;
  std::vector<TunedHead> heads;
  for (std::size_t i = 0; i < gains.size(); ++i)
    heads.push_back({gains[i], chosen.way->balance && gains[i] <= calibration::kMostBalancedGain,
                     of_plain.noise[i], of_plain.divergence[i], of_chosen.noise[i],
                     of_chosen.divergence[i]});
  return heads;
}

/// Measures all recipes and chooses one. Returns it.
Recipe search(const Work& work, const std::vector<TuneWidths>& widths, TuneResult* result) {
  const std::vector<int> key_bits = bits_of(widths, &TuneWidths::keys),
                         value_bits = bits_of(widths, &TuneWidths::values);
  Calibrated made;
  if (!key_bits.empty()) made = calibrate_keys(work, key_bits);
  std::vector<Recipe> recipes = recipes_of(work, made, key_bits, value_bits);
  add_candidates(recipes, measure(work, "one half", recipes), made, result);
  if (result->options.part == TunePart::both) {
    const std::vector<Recipe> pairs = pairs_of(recipes, widths, &result->candidates);
    const std::size_t first =
        add_candidates(pairs, measure(work, "both halves", pairs), made, result);
    recipes.insert(recipes.end(), pairs.begin(), pairs.end());
    choose(recipes, first, result);
  } else {
    choose(recipes, 0, result);
  }
  const Recipe &chosen = recipes[result->chosen], &plain = recipes[result->plain];
  if (chosen.keys) result->heads = heads_of(made, *chosen.keys, *plain.keys);
  return chosen;
}

/// Checks what does not need the model.
void check(const TuneOptions& options, Outputs* outputs) {
  outputs->claim(options.output);
  check_tuned_output(options.output, options.force);
  outputs->add(options.json);
  if (!options.json.empty()) check_outside("--json", options.json, options.output);
}

}  // namespace

bool TuneResult::needs_nothing() const { return candidates[plain].scores.kl < kTuneNothing; }

TuneResult tune(const TuneOptions& options, const Progress& progress,
                const Show<TuneResult>& show) {
  Outputs outputs(options.force, input_files(options.model));
  check(options, &outputs);
  ModelAndText input = read_model_and_text(options.model, {});
  const checkpoints::Architecture& architecture = input.checkpoint.architecture;
  calibration::check_head_dim(architecture);
  TuneResult result;
  result.options = options;
  result.model = base_name(options.model.model);
  result.text = base_name(options.model.text);
  result.layers = architecture.layers;
  result.kv_heads = architecture.kv_heads;
  result.head_dim = architecture.head_dim;
  result.positions = architecture.max_positions;
  result.tokens = input.text.ids.size();
  result.window = window_size(options.window, architecture);
  result.ids_digest = ids_digest(input.text.ids);
  const std::vector<TuneWidths> widths = widths_of(options, architecture);
  const TextParts parts = parts_of(&input.text, options.model.text, result.window,
                                   options.model.bos, options.samples, options.windows);
  result.text_windows = parts.windows;
  result.calibration_part = parts.calibration;
  result.calibration = parts.sample_numbers;
  result.held_out = parts.held_numbers;
  result.digest = checkpoints::identity_of(input.checkpoint.path);

  const UnfinishedFolder folder(options.output, plan_of(result), options.force);
  folder.create();
  result.resumed = folder.resumed();
  const Macro macro{static_cast<int>(architecture.head_dim),
                    static_cast<int>(architecture.max_positions), options.seed};
  const Recipe chosen =
      search({options, input, parts, result.digest, macro, folder, progress}, widths, &result);
  result.files = chosen.files();
  result.cache = caches::to_string(chosen.specification(""));
  show_figures(show, result);

  std::vector<std::string> names = result.files;
  for (const std::string& name : plain_files(result))
    if (std::count(names.begin(), names.end(), name) == 0) names.push_back(name);
  for (const auto& [name, content] :
       {std::pair<std::string, std::string>{caches::kTunedCache, result.cache + "\n"},
        {caches::kTunedRecipe, to_json(result)},
        {kReportName, report_of(result)}}) {
    folder.write(name, content);
    names.push_back(name);
  }
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  folder.publish(names);
  return result;
}

}  // namespace axelram::commands
