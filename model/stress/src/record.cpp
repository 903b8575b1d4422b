#include "record.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace axelram::stress {
namespace {

using Json = nlohmann::ordered_json;

Json options_json(const Changes& options) {
  return {{"layers", options.layers},
          {"pairs", options.pairs},
          {"scale", {options.scale_low, options.scale_high}},
          {"gain", options.gain},
          {"bias", options.bias},
          {"bias_channels", options.bias_channels},
          {"seed", options.seed}};
}

Json head_json(const HeadPlan& head, std::size_t number) {
  Json pairs = Json::array();
  for (const PairFactor& pair : head.pairs)
    pairs.push_back({{"pair", pair.pair}, {"factor", pair.factor}});
  double square = 0;
  for (const double value : head.offset) square += value * value;
  return {{"head", number}, {"pairs", pairs}, {"offset_norm", std::sqrt(square)}};
}

Json fit_json(const RatioFit& fit) {
  return {{"tokens", fit.tokens},
          {"key_norms_before", fit.norms},
          {"key_norm_chosen_layers", fit.chosen},
          {"key_norm_other_layers", fit.others},
          {"ratio", fit.chosen / fit.others}};
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string options_text(const Changes& options) { return dump(options_json(options), -1); }

std::string record_text(const std::string& source, const Changes& options,
                        const std::vector<LayerPlan>& plan, const std::optional<RatioFit>& fit) {
  Json layers = Json::array();
  for (const LayerPlan& layer : plan) {
    Json heads = Json::array();
    for (std::size_t h = 0; h < layer.heads.size(); ++h)
      heads.push_back(head_json(layer.heads[h], h));
    layers.push_back({{"layer", layer.layer}, {"gain", options.gain}, {"heads", heads}});
  }
  const Json json = {{kRecordKey, 1},
                     {"source", source},
                     {"options", options_json(options)},
                     {"measured", fit ? fit_json(*fit) : Json()},
                     {"layers", layers}};
  return dump(json, 2) + "\n";
}

}  // namespace axelram::stress
