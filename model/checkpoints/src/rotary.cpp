#include "rotary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "keys/config_keys.hpp"

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
void scale_yarn(const JsonObject& scaling, double theta, Rotary* rotary) {
  const double factor = scaling.positive("factor");
  const auto trained = static_cast<double>(scaling.count("original_max_position_embeddings"));
  const double d = 2 * static_cast<double>(rotary->frequencies.size());
  const auto channel = [&](double turns) {
    return d * std::log(trained / (turns * 2 * pi)) / (2 * std::log(theta));
  };
  double first = channel(scaling.positive("beta_fast"));
  double last = channel(scaling.positive("beta_slow"));
  if (scaling.flag("truncate")) {
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

/// The kind of a scaling: rope_type, or `type`, its older name.
std::string kind_of(const JsonObject& scaling) {
  if (scaling.json().contains("rope_type")) return scaling.text("rope_type");
  return scaling.json().contains("type") ? scaling.text("type") : "default";
}

bool is_read(const std::string& key, const std::string& kind) {
  const auto rows = rotary_keys();
  return std::any_of(rows.begin(), rows.end(), [&](const ConfigKey& row) {
    return row.key == key && is_one_of(row.of, kind);
  });
}

/// The parameters without those that are 0 and then mean what null means.
JsonObject without_zeros(JsonObject parameters) {
  for (const char* key : {"beta_fast", "beta_slow", "mscale", "mscale_all_dim"})
    if (parameters.has(key) && parameters.json().at(key) == 0) parameters.set(key, nullptr);
  return parameters;
}

void scale(const JsonObject& scaling, const std::string& kind, double theta, Rotary* rotary) {
  if (kind == "linear") {
    const double factor = scaling.positive("factor");
    for (double& frequency : rotary->frequencies) frequency /= factor;
  } else if (kind == "llama3") {
    scale_llama3(scaling, &rotary->frequencies);
  } else if (kind == "yarn") {
    scale_yarn(scaling, theta, rotary);
  } else if (kind != "default") {
    scaling.fail(scaling.json().contains("rope_type") ? "rope_type" : "type",
                 "supported are default, linear, llama3 and yarn");
  }
}

Rotary scaled_rotary(const JsonObject& parameters, std::size_t head_dim, std::size_t max_positions,
                     double fallback) {
  const std::string kind = kind_of(parameters);
  const auto outside = [&](const std::string& key) -> nlohmann::json {
    if (key == "max_position_embeddings") return max_positions;
    return key == "rope_theta" ? nlohmann::json(fallback) : nlohmann::json();
  };
  const JsonObject whole = completed(without_zeros(parameters), rotary_keys(), kind, outside);
  const double theta = whole.positive("rope_theta", fallback);
  Rotary rotary{rotary_frequencies(theta, head_dim), 1};
  scale(whole, kind, theta, &rotary);
  return rotary;
}

/// `key` of `object` is named if a frequency is no positive number.
Rotary checked(Rotary rotary, const JsonObject& object, const std::string& key) {
  for (const double frequency : rotary.frequencies)
    if (!std::isfinite(frequency) || !(frequency > 0))
      object.fail(key, "it must make every frequency of the rotary embedding a positive number");
  return rotary;
}

}  // namespace

std::vector<double> rotary_frequencies(double theta, std::size_t head_dim) {
  std::vector<double> frequencies(head_dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = std::pow(theta, -2 * static_cast<double>(i) / static_cast<double>(head_dim));
  return frequencies;
}

Rotary rotary_of(const JsonObject& parameters, std::size_t head_dim, std::size_t max_positions,
                 double fallback) {
  return checked(scaled_rotary(parameters, head_dim, max_positions, fallback), parameters,
                 "rope_theta");
}

Rotary rotary(const JsonObject& config, std::size_t head_dim, std::size_t max_positions,
              double fallback) {
  const double theta = config.positive("rope_theta", fallback);
  // Since transformers 5 one object, rope_parameters, holds theta and scaling. It reads
  // rope_scaling if a file has both.
  const bool scaled = config.has("rope_scaling") && !config.json().at("rope_scaling").empty();
  const std::string place = scaled ? "rope_scaling" : "rope_parameters";
  if (!config.has(place))
    return checked({rotary_frequencies(theta, head_dim), 1}, config, "rope_theta");
  JsonObject parameters = config.object(place);
  for (const char* kind : {"full_attention", "sliding_attention"})
    if (parameters.json().contains(kind))
      parameters.fail(kind, "the layers of this model have one rotary embedding");
  const std::string trained = "original_max_position_embeddings";
  if (config.has(trained))
    parameters.borrow(config, trained);
  else if (config.json().contains(trained) && is_read(trained, kind_of(parameters)))
    config.fail(trained, "leave it out or give a value");
  return checked(scaled_rotary(parameters, head_dim, max_positions, theta), config, place);
}

}  // namespace axelram::checkpoints
