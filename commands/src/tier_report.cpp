#include "axelram/commands/tier_report.hpp"

#include <algorithm>
#include <optional>

#include "axelram/caches/specification.hpp"
#include "axelram/caches/tier_records.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/tier_constants.hpp"
#include "axelram/nuq.hpp"
#include "outputs.hpp"
#include "tiers/tier_lines.hpp"

namespace axelram::commands {
namespace {

constexpr double kOutlierShare = 0.01;      ///< of a calibration without --outliers
constexpr std::size_t kSquatChannels = 64;  ///< of one without --squat-channels

/// Tiers of keys, or of values; nothing but tiers has any.
caches::TierSettings tiers_of(const caches::RowSpecification& row, const std::string& text,
                              const tiers::CachedModel& model) {
  const std::optional<caches::TierSettings> settings = caches::tiers_of(row);
  const std::string where = "cache specification " + files::in_quotes(text) + ": ";
  if (!settings)
    throw files::InputError(where +
                            "--tiers counts kivi and tiered; write such as tiered:hot=64,warm=448");
  if (settings->value_group > model.head_dim)
    throw files::InputError(where + "value_group is " + std::to_string(settings->value_group) +
                            "; a head of the model has " + std::to_string(model.head_dim) +
                            " channels");
  return *settings;
}

/// Parameters of a calibration file, or the defaults of `calibrate` if none is given.
struct Calibration {
  double outliers = kOutlierShare;
  std::size_t squat_channels;

  Calibration(const caches::TierSettings& settings, TierPart part, const tiers::CachedModel& model)
      : squat_channels(std::min<std::size_t>(kSquatChannels, model.head_dim)) {
    if (settings.calibration.empty()) return;
    files::TierNeeds needs;
    needs.rope = settings.rope;
    needs.layers = model.shape.layers;
    needs.heads = model.shape.kv_heads;
    needs.d = model.head_dim;
    needs.qnorm = settings.qnorm;
    for (const TierStore& store : tiers::stores_of(settings)) {
      if (store.format == TierFormat::squat) needs.squat = part == TierPart::keys;
      if (store.format == TierFormat::kvquant)
        (part == TierPart::keys ? needs.key_bits : needs.value_bits).push_back(store.bits);
    }
    const files::TierConstants constants = files::read_tier_constants(settings.calibration, needs);
    outliers = constants.outliers;
    if (constants.has_squat()) squat_channels = constants.squat_channels;
  }
};

/// Reads the configuration of records. Without one: the defaults of a macro.
tiers::MacroConstants macro_of(const caches::TierSettings& settings,
                               const tiers::CachedModel& model, Outputs* outputs) {
  if (settings.config.empty() || !settings.uses(TierFormat::axelram)) return {};
  const ConfigFile named = read_config(settings.config);
  outputs->protect(named);
  caches::check_tier_records(named.path, named.config, model.head_dim);
  return {named.config.parameters.centered, named.config.parameters.centroid_bits};
}

tiers::TieredCache cache_of(const TierReportOptions& options,
                            const caches::Specification& specification,
                            const tiers::CachedModel& model, Outputs* outputs) {
  tiers::TieredCache cache;
  cache.keys = tiers_of(specification.keys, options.specification, model);
  cache.values = tiers_of(specification.values, options.specification, model);
  const Calibration keys(cache.keys, TierPart::keys, model);
  const Calibration values(cache.values, TierPart::values, model);
  cache.key_outliers = nuq_outlier_count(keys.outliers, model.head_dim);
  cache.value_outliers = nuq_outlier_count(values.outliers, model.head_dim);
  cache.squat_channels = keys.squat_channels;
  cache.key_macro = macro_of(cache.keys, model, outputs);
  cache.value_macro = macro_of(cache.values, model, outputs);
  return cache;
}

std::string text_of(const tiers::CachedModel& model) {
  const report::ModelShape& shape = model.shape;
  return std::to_string(shape.layers) + " layers, " + std::to_string(shape.query_heads) +
         " query heads, " + std::to_string(shape.kv_heads) + " KV heads of " +
         std::to_string(model.head_dim) + ", " + std::to_string(model.batch) + " sequences of " +
         std::to_string(shape.context) + " tokens";
}

}  // namespace

TierReportResult tier_report(const TierReportOptions& options, const Show<TierReportResult>& show) {
  const caches::Specification specification =
      caches::parse_specification(options.specification, caches::NamedFiles::optional);
  const tiers::CachedModel model = tiers::read_cached_model(options.shape);
  std::vector<std::string> inputs = caches::other_files(specification);
  inputs.push_back(options.shape);
  Outputs outputs(options.force, inputs);
  const tiers::TieredCache cache = cache_of(options, specification, model, &outputs);
  outputs.add(options.json);
  TierReportResult result{caches::to_string(specification), text_of(model),
                          tiers::tier_lines(cache, model)};
  show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const TierReportResult& result) { return report::json(result.lines); }

}  // namespace axelram::commands
