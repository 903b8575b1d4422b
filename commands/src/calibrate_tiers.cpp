#include "calibrate_tiers.hpp"

#include <algorithm>

#include "axelram/files/errors.hpp"
#include "key_source.hpp"

namespace axelram::commands {
namespace {

constexpr std::size_t kUsualChannels = 64;  // of a run of SQuat

std::size_t squat_channels(const CalibrateOptions& options, std::size_t d) {
  if (options.squat_channels == 0) return std::min(kUsualChannels, d);
  if (options.squat_channels > d)
    throw files::InputError("--squat-channels: " + std::to_string(options.squat_channels) +
                            "; the model's heads have " + std::to_string(d) +
                            " channels: give a power of two from 8 to that");
  return options.squat_channels;
}

Json codebooks_json(const std::array<calibration::CodebookFigures, 3>& figures) {
  Json all = Json::array();
  for (const calibration::CodebookFigures& one : figures)
    all.push_back({{"bits", one.bits},
                   {"cost", one.cost},
                   {"error", one.error},
                   {"qnorm_error", one.levels}});
  return all;
}

}  // namespace

TierSetup tier_setup(const CalibrateOptions& options, const checkpoints::Architecture& a,
                     std::size_t rows) {
  TierSetup setup;
  setup.options.outliers = options.outliers;
  setup.options.squat = {options.squat_strength, options.squat_rank,
                         squat_channels(options, a.head_dim)};
  if (options.fisher.empty()) return setup;
  calibration::TierRows shape;
  shape.layers = a.layers, shape.heads = a.kv_heads, shape.rows = rows, shape.d = a.head_dim;
  setup.weights = calibration::read_element_weights(options.fisher, shape);
  return setup;
}

void write_tiers(const CalibrateOptions& options, std::size_t window,
                 const checkpoints::Checkpoint& checkpoint, calibration::CalibratedTiers* tiers) {
  tiers->constants.model = checkpoints::digest_of(checkpoint.path);
  files::Metadata metadata = {{"checkpoint", base_name(options.model.model)},
                              {"text", base_name(options.model.text)},
                              {"samples", std::to_string(options.samples)},
                              {"window", std::to_string(window)},
                              {"squat_rank", std::to_string(options.squat_rank)},
                              {"squat_strength", Json(options.squat_strength).dump()}};
  if (!options.fisher.empty()) metadata["fisher"] = base_name(options.fisher);
  files::write_tier_constants(options.tiers, tiers->constants, metadata, options.force);
}

Json tiers_json(const CalibrateResult& result) {
  if (!result.tiers) return nullptr;
  const CalibrateOptions& options = result.options;
  const files::TierConstants& constants = result.tiers->constants;
  Json layers = Json::array(), heads = Json::array();
  for (std::size_t layer = 0; layer < constants.layers; ++layer) {
    const calibration::TierLayer& one = result.tiers->layers[layer];
    layers.push_back({{"layer", layer},
                      {"keys", codebooks_json(one.keys)},
                      {"values", codebooks_json(one.values)}});
    for (std::size_t head = 0; head < constants.heads; ++head) {
      const calibration::TierHead& of = result.tiers->heads[layer * constants.heads + head];
      heads.push_back({{"layer", layer},
                       {"head", head},
                       {"squat_exponents", of.exponents},
                       {"kivi2_score_error", or_null(of.kivi_error)},
                       {"squat2_score_error", or_null(of.squat_error)}});
    }
  }
  return {{"rope", name_of(constants.rope)},
          {"outliers", constants.outliers},
          {"squat_channels", constants.squat_channels},
          {"squat_rank", options.squat_rank},
          {"squat_strength", options.squat_strength},
          {"fisher", options.fisher.empty() ? Json() : Json(options.fisher)},
          {"model_sha256", constants.model},
          {"layers", layers},
          {"heads", heads}};
}

}  // namespace axelram::commands
