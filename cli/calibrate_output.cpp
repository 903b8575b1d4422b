#include "calibrate_output.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "axelram/codebook.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

using calibration::Advice;
using calibration::Choice;

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string default_name(const files::Rotation& rotation) {
  using Source = files::Rotation::Source;
  if (rotation.source == Source::seed) return "seed " + std::to_string(rotation.seed);
  return rotation.source == Source::identity ? "all +1" : rotation.signs_file;
}

const char* codebook_name(const Parameters& parameters) {
  return parameters.codebook == CodebookKind::beta ? "beta" : "gaussian";
}

double ideal_error(const Parameters& p) {
  return distortion(solve_codebook(p.codebook, p.head_dim, p.index_bits), p.codebook, p.head_dim);
}

const char* advice_name(Advice advice) {
  switch (advice) {
    case Advice::default_signs:
      return "default signs";
    case Advice::calibrate:
      return "calibrate";
    case Advice::neither:
      break;
  }
  return "neither";
}

const char* advice_text(Advice advice) {
  switch (advice) {
    case Advice::default_signs:
      return "below 2: the paper calls default signs safe";
    case Advice::calibrate:
      return "above 5: the paper recommends calibrated signs";
    case Advice::neither:
      break;
  }
  return "between 2 and 5 the paper gives no advice: calibrated signs cost no hardware, so take "
         "them and compare perplexity";
}

std::string choices_text(const CalibrateRun& run, bool per_head) {
  std::vector<std::vector<std::string>> rows = {{"layer", "key norm", "centered", "mean key",
                                                 "default MSE", "mean", "best", "worst", "chosen"}};
  if (per_head) rows[0].insert(rows[0].begin() + 1, "head");
  for (const Choice& choice : run.calibration.choices) {
    rows.push_back({std::to_string(choice.layer), fixed(choice.mean_norm, 3),
                    fixed(choice.centered_norm, 3), fixed(100 * choice.center_share, 1) + " %",
                    fixed(choice.default_error, 6), fixed(choice.mean_error, 6),
                    fixed(choice.best_error, 6), fixed(choice.worst_error, 6),
                    std::to_string(choice.candidate)});
    if (per_head) rows.back().insert(rows.back().begin() + 1, std::to_string(*choice.head));
  }
  return table(rows);
}

nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

}  // namespace

std::string calibrate_text(const CalibrateOptions& options, const CalibrateRun& run) {
  const Parameters& parameters = run.config.parameters;
  const double ratio = run.calibration.norm_ratio;
  std::string text =
      "samples        " + std::to_string(options.samples) + " windows of " +
      std::to_string(run.window) + " tokens\ncodebook       " + codebook_name(parameters) + ", " +
      std::to_string(parameters.index_bits) + " bits, MSE " + fixed(ideal_error(parameters), 6) +
      " on its own density\ncandidates     " + std::to_string(options.candidates) +
      ", seeds from " + std::to_string(options.seed) + " on\ndefault signs  " +
      default_name(run.config.rotation) + "\nMSE of keys    " +
      (run.center.empty() ? "as they are" : "less their center") + ", norm 1, times d\n";
  text += choices_text(run, options.per_head);
  text += "norm ratio     " + fixed(ratio, 3) + " across layers (centered " +
          fixed(run.calibration.centered_norm_ratio, 3) + "); " +
          advice_text(calibration::advice(ratio)) + "\nsigns          " + options.output + "\n";
  if (!options.center.empty()) text += "center         " + options.center + "\n";
  return text;
}

std::string calibrate_json(const CalibrateOptions& options, const CalibrateRun& run) {
  using Json = nlohmann::ordered_json;
  const Parameters& parameters = run.config.parameters;
  Json choices = Json::array();
  for (const Choice& choice : run.calibration.choices)
    choices.push_back({{"layer", choice.layer},
                       {"head", choice.head ? Json(*choice.head) : Json()},
                       {"key_norm", choice.mean_norm},
                       {"centered_norm", choice.centered_norm},
                       {"mean_key_share", choice.center_share},
                       {"default_mse", choice.default_error},
                       {"mean_mse", choice.mean_error},
                       {"best_mse", choice.best_error},
                       {"worst_mse", choice.worst_error},
                       {"candidate", choice.candidate},
                       {"seed", options.seed + choice.candidate}});
  const Json json = {{"model", options.model.model},
                     {"text", options.model.text},
                     {"samples", options.samples},
                     {"window", run.window},
                     {"bits", parameters.index_bits},
                     {"codebook", codebook_name(parameters)},
                     {"codebook_mse", ideal_error(parameters)},
                     {"candidates", options.candidates},
                     {"seed", options.seed},
                     {"default_signs", default_name(run.config.rotation)},
                     {"centered", !run.center.empty()},
                     {"choices", choices},
                     {"norm_ratio", number(run.calibration.norm_ratio)},
                     {"centered_norm_ratio", number(run.calibration.centered_norm_ratio)},
                     {"advice", advice_name(calibration::advice(run.calibration.norm_ratio))}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace axelram::cli
