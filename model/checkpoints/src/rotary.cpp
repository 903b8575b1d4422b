#include "rotary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace axelram::checkpoints {
namespace {

using std::numbers::pi;

/// Llama 3.1: wavelengths beyond the trained context are stretched by `factor`, short ones kept,
/// those between blended.
void scale_llama3(const JsonObject& scaling, std::vector<double>* frequencies) {
  const double factor = scaling.positive("factor");
  const double low = scaling.positive("low_freq_factor");
  const double high = scaling.positive("high_freq_factor");
  const auto trained = static_cast<double>(scaling.count("original_max_position_embeddings"));
  if (!(high > low)) scaling.fail("high_freq_factor", "it must exceed low_freq_factor");
  for (double& frequency : *frequencies) {
    const double turns = trained * frequency / (2 * pi);  // over the trained context
    const double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    frequency = (1 - kept) * frequency / factor + kept * frequency;
  }
}

/// YaRN (Peng et al. 2023, section 3.2): channels that turn more than beta_fast times over the
/// trained context are kept, those below beta_slow are stretched, with a ramp over the channels
/// between.
void scale_yarn(const JsonObject& scaling, double theta, std::size_t max_positions,
                Rotary* rotary) {
  const double factor = scaling.positive("factor");
  const auto trained =
      static_cast<double>(scaling.count("original_max_position_embeddings", max_positions));
  const double d = 2 * static_cast<double>(rotary->frequencies.size());
  const auto channel = [&](double turns) {
    return d * std::log(trained / (turns * 2 * pi)) / (2 * std::log(theta));
  };
  double first = channel(scaling.positive("beta_fast", 32));
  double last = channel(scaling.positive("beta_slow", 1));
  if (scaling.flag("truncate", true)) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, d - 1);
  if (first == last) last += 0.001;
  for (std::size_t i = 0; i < rotary->frequencies.size(); ++i) {
    const double stretched =
        std::clamp((static_cast<double>(i) - first) / (last - first), 0.0, 1.0);
    double& frequency = rotary->frequencies[i];
    frequency = stretched * frequency / factor + (1 - stretched) * frequency;
  }
  const auto temperature = [&](double scale) {
    return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1;
  };
  if (scaling.has("attention_factor"))
    rotary->attention_factor = scaling.positive("attention_factor");
  else if (scaling.has("mscale") && scaling.has("mscale_all_dim"))
    rotary->attention_factor =
        temperature(scaling.positive("mscale")) / temperature(scaling.positive("mscale_all_dim"));
  else
    rotary->attention_factor = temperature(1);
}

void scale(const JsonObject& scaling, double theta, std::size_t max_positions, Rotary* rotary) {
  const std::string key = scaling.has("type") ? "type" : "rope_type";
  const std::string type = scaling.text(key);
  if (type == "default") return;
  if (type == "linear") {
    const double factor = scaling.positive("factor");
    for (double& frequency : rotary->frequencies) frequency /= factor;
  } else if (type == "llama3") {
    scale_llama3(scaling, &rotary->frequencies);
  } else if (type == "yarn") {
    scale_yarn(scaling, theta, max_positions, rotary);
  } else {
    scaling.fail(key, "supported are default, linear, llama3 and yarn");
  }
}

void check_whole_head(const JsonObject& object) {
  if (object.has("partial_rotary_factor") && object.positive("partial_rotary_factor") != 1)
    object.fail("partial_rotary_factor", "supported is rotation of the whole head, 1");
}

/// scaling: null if there is none. `key` of `config` is named if a frequency is no positive number.
Rotary scaled_rotary(const JsonObject& config, const std::string& key, double theta,
                     const JsonObject* scaling, std::size_t head_dim, std::size_t max_positions) {
  if (scaling != nullptr) check_whole_head(*scaling);
  Rotary rotary{rotary_frequencies(theta, head_dim), 1};
  if (scaling != nullptr) scale(*scaling, theta, max_positions, &rotary);
  for (const double frequency : rotary.frequencies)
    if (!std::isfinite(frequency) || !(frequency > 0))
      config.fail(key, "it must make every frequency of the rotary embedding a positive number");
  return rotary;
}

}  // namespace

std::vector<double> rotary_frequencies(double theta, std::size_t head_dim) {
  std::vector<double> frequencies(head_dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = std::pow(theta, -2 * static_cast<double>(i) / static_cast<double>(head_dim));
  return frequencies;
}

Rotary plain_rotary(const JsonObject& config, const std::string& key, std::size_t head_dim,
                    double fallback) {
  return scaled_rotary(config, key, config.positive(key, fallback), nullptr, head_dim, 0);
}

Rotary rotary_of(const JsonObject& parameters, std::size_t head_dim, std::size_t max_positions,
                 double fallback) {
  const double theta = parameters.positive("rope_theta", fallback);
  return scaled_rotary(parameters, "rope_theta", theta, &parameters, head_dim, max_positions);
}

Rotary rotary(const JsonObject& config, std::size_t head_dim, std::size_t max_positions,
              double fallback) {
  // Since transformers 5 one object holds theta and scaling.
  const std::string place = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  const std::optional<JsonObject> scaling =
      config.has(place) ? std::optional(config.object(place)) : std::nullopt;
  const bool inside = place == "rope_parameters" && scaling->has("rope_theta");
  const double theta = (inside ? *scaling : config).positive("rope_theta", fallback);
  check_whole_head(config);
  return scaled_rotary(config, scaling ? place : "rope_theta", theta, scaling ? &*scaling : nullptr,
                       head_dim, max_positions);
}

}  // namespace axelram::checkpoints
