#include <cmath>

#include "axelram/commands/calibrate.hpp"
#include "calibrate_tiers.hpp"
#include "json.hpp"

namespace axelram::commands {
namespace {

const char* advice_name(calibration::Advice advice) {
  switch (advice) {
    case calibration::Advice::default_signs:
      return "default signs";
    case calibration::Advice::calibrate:
      return "calibrate";
    case calibration::Advice::neither:
      break;
  }
  return "neither";
}

Json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

Json head_json(const CalibratedHead& head, std::size_t layer, std::size_t number) {
  return {{"layer", layer},
          {"head", number},
          {"mean_key_energy", head.mean_energy},
          {"balance_won", head.balance_won},
          {"predicted_noise", head.noise},
          {"predicted_plain_noise", head.plain_noise},
          {"alpha", head.alpha},
          {"key_concentration", head.concentration},
          {"split_factor", head.split_factor},
          {"first_weight", head.scores.first_weight},
          {"newest_weight", head.scores.newest_weight},
          {"score_slope", head.scores.slope},
          {"score_error", head.scores.error},
          {"weighted_score_error", head.scores.weighted_error},
          {"divergence", head.scores.divergence}};
}

Json choice_json(const calibration::Choice& choice, std::uint64_t seed) {
  return {{"layer", choice.layer},
          {"head", or_null(choice.head)},
          {"key_norm", choice.mean_norm},
          {"centered_norm", choice.centered_norm},
          {"mean_key_share", choice.center_share},
          {"default_mse", choice.default_error},
          {"mean_mse", choice.mean_error},
          {"best_mse", choice.best_error},
          {"worst_mse", choice.worst_error},
          {"candidate", choice.candidate},
          {"seed", seed + choice.candidate}};
}

}  // namespace

std::string to_json(const CalibrateResult& r) {
  const Parameters& parameters = r.config.parameters;
  const bool signs = !r.options.output.empty();
  const auto of_signs = [&](const Json& value) { return signs ? value : Json(); };
  Json choices = Json::array();
  for (const calibration::Choice& choice : r.calibration.choices)
    choices.push_back(choice_json(choice, r.options.seed));
  Json heads = Json::array();
  for (std::size_t pair = 0; pair < r.heads.size(); ++pair)
    heads.push_back(head_json(r.heads[pair], pair / r.kv_heads, pair % r.kv_heads));
  if (r.exponents)
    for (std::size_t pair = 0; pair < r.heads.size(); ++pair) {
      heads[pair]["gain"] = r.exponents->gains[pair];
      heads[pair]["balanced"] = r.exponents->balanced(pair / r.kv_heads, pair % r.kv_heads);
    }
  return text_of({{"model", r.options.model.model},
                  {"text", r.options.model.text},
                  {"samples", r.options.samples},
                  {"window", r.window},
                  {"bits", of_signs(parameters.index_bits)},
                  {"codebook", of_signs(name_of(parameters.codebook))},
                  {"codebook_mse", of_signs(r.codebook_mse)},
                  {"candidates", of_signs(r.options.candidates)},
                  {"seed", of_signs(r.options.seed)},
                  {"default_signs", of_signs(r.default_signs)},
                  {"centered", !r.center.empty()},
                  {"feedback", r.options.feedback.empty() ? Json() : Json(name_of(r.options.rank))},
                  {"balance", r.exponents ? Json(name_of(r.options.balance_queries)) : Json()},
                  {"balance_gain", r.exponents ? Json(r.options.balance_gain) : Json()},
                  {"channels", r.options.channels.empty() ? Json() : Json(name_of(r.options.rule))},
                  {"choices", choices},
                  {"heads", heads},
                  {"norm_ratio", of_signs(number(r.calibration.norm_ratio))},
                  {"centered_norm_ratio", of_signs(number(r.calibration.centered_norm_ratio))},
                  {"advice", of_signs(advice_name(calibration::advice(r.calibration.norm_ratio)))},
                  {"tiers", tiers_json(r)}});
}

}  // namespace axelram::commands
