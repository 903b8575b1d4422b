#include "tiers/tier_files.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/tier_records.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/places.hpp"

namespace axelram::caches {

void check_tier_records(const std::string& file, const files::Config& config, std::size_t d) {
  const Parameters& p = config.parameters;
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) throw files::InputError(file + ": " + what + " for a tier of axelram");
  };
  files::reject_attention(config, "a tier of records");
  require(static_cast<std::size_t>(p.head_dim) == d,
          "macro.head_dim must be the model's, " + std::to_string(d) + ",");
  require(p.element_format == ElementFormat::fp16, "element_format must be fp16");
  require(p.centroid_bits <= 8, "centroid_bits must be 8 at most");
  require(
      p.kind == QuantizerKind::mse && p.scale == ScaleKind::norm && !p.split() && p.copies() == 0,
      "the quantizer must be the default one");
  require(config.ecc.code == "none", "ecc.code must be none");
}

namespace {

/// Of keys, of values, or of both.
files::TierNeeds needs_of(const TierSettings& settings, std::size_t d, bool keys, bool values) {
  files::TierNeeds needs;
  needs.rope = settings.rope;
  needs.d = d;
  needs.qnorm = settings.qnorm;
  needs.squat = keys && settings.uses(TierFormat::squat);
  if (settings.uses(TierFormat::kvquant)) {
    const int bits =
        settings.archive ? settings.archive->bits : automatic_archive_ref(~std::size_t{0}).bits;
    if (keys) needs.key_bits = {bits};
    if (values) needs.value_bits = {bits};
  }
  return needs;
}

/// Constants of files, and of one configuration.
class TierFiles : public TierSource {
 public:
  const files::TierConstants* constants() const override {
    return constants_ ? &*constants_ : nullptr;
  }

 protected:
  TierFiles(const TierSettings& settings, const files::TierNeeds& needs) {
    if (!settings.calibration.empty())
      constants_ = files::read_tier_constants(settings.calibration, needs);
  }

  /// Parameters of keys or of values with another width of an index, and their ROM.
  RecordConstants of_bits(Parameters parameters, int bits, bool values, HeadRotation rotation,
                          std::vector<std::uint16_t> center) const {
    parameters.index_bits = bits;
    if (values) {
      parameters.balanced = parameters.centered = false;
      rotation = rotation.of_values();
      center.clear();
    }
    return {parameters, rom(parameters, values), std::move(rotation), std::move(center)};
  }

 private:
  /// Designed once: it takes longer than a thousand keys, and every head has the same.
  std::shared_ptr<const CodebookRom> rom(const Parameters& parameters, bool values) const {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<const CodebookRom>& known = roms_[{parameters.index_bits, values}];
    if (!known) known = std::make_shared<const CodebookRom>(codebook_rom(parameters));
    return known;
  }

  std::optional<files::TierConstants> constants_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<int, bool>, std::shared_ptr<const CodebookRom>> roms_;
};

class ModelTierFiles : public TierFiles {
 public:
  ModelTierFiles(const TierSettings& settings, const Shape& shape)
      : TierFiles(settings, of_model(settings, shape)) {
    if (!settings.uses(TierFormat::axelram)) return;
    Axelram records;
    records.config = settings.config;
    records.seed = settings.seed;
    records.balance = settings.balance;
    const std::string file = files::find_config_file(settings.config);
    check_tier_records(file, files::read_config(file), static_cast<std::size_t>(shape.head_dim));
    setup_.emplace(records, shape);
  }

  RecordConstants records(int bits, const CacheSite& site) const override {
    return of_bits(setup_->parameters(site.value), bits, site.value,
                   setup_->rotation(site.layer, site.head), setup_->center(site.layer, site.head));
  }

 private:
  static files::TierNeeds of_model(const TierSettings& settings, const Shape& shape) {
    files::TierNeeds needs =
        needs_of(settings, static_cast<std::size_t>(shape.head_dim), true, true);
    needs.layers = static_cast<std::size_t>(shape.layers);
    needs.heads = static_cast<std::size_t>(shape.heads);
    if (!shape.checkpoint.empty())
      needs.model = [path = std::string(shape.checkpoint)] { return checkpoints::digest_of(path); };
    return needs;
  }

  std::optional<AxelramSetup> setup_;
};

class HeadTierFiles : public TierFiles {
 public:
  HeadTierFiles(const TierSettings& settings, std::size_t d, const CacheSite& site)
      : TierFiles(settings, needs_of(settings, d, !site.value, site.value)) {
    check_row(settings, site);
    if (!settings.uses(TierFormat::axelram)) return;
    const std::string file = files::find_config_file(settings.config);
    files::Config config = files::read_config(file);
    check_tier_records(file, config, d);
    config.rotation.seed = settings.seed.value_or(config.rotation.seed);
    put_balance(file, settings.balance, &config);
    config_ = files::config_of_head(config, files::folder_of(file), site.layer, site.head);
  }

  /// Complains of a layer or head that the constants do not have, before any block needs them.
  void check_row(const TierSettings& settings, const CacheSite& site) const {
    if (constants() == nullptr || site.value) return;
    const auto layer = static_cast<std::size_t>(site.layer);
    const auto head = static_cast<std::size_t>(site.head);
    if (settings.uses(TierFormat::squat)) (void)constants()->feedback(layer, head);
    if (settings.uses(TierFormat::kvquant)) (void)constants()->ranges(layer, head);
  }

  RecordConstants records(int bits, const CacheSite& site) const override {
    return of_bits(config_->parameters, bits, site.value, config_->head_rotation, config_->center);
  }

 private:
  std::optional<files::Config> config_;
};

void check_value_group(const TierSettings& settings, std::size_t d) {
  if (settings.value_group > d)
    throw files::InputError("value_group is " + std::to_string(settings.value_group) +
                            "; a head has " + std::to_string(d) +
                            " channels: write value_group=" + std::to_string(d) + " or less");
}

}  // namespace

std::unique_ptr<const TierSource> model_tier_files(const TierSettings& settings,
                                                   const Shape& shape) {
  const auto d = static_cast<std::size_t>(shape.head_dim);
  if (d != 32 && d != 64 && d != 128 && d != 256)
    throw files::InputError(
        "tiers hold heads of 32, 64, 128 or 256 elements; the model's head_dim is " +
        std::to_string(d) + ": use int4 or f32");
  check_value_group(settings, d);
  return std::make_unique<ModelTierFiles>(settings, shape);
}

std::unique_ptr<const TierSource> head_tier_files(const TierSettings& settings, std::size_t d,
                                                  const CacheSite& site) {
  check_value_group(settings, d);
  return std::make_unique<HeadTierFiles>(settings, d, site);
}

}  // namespace axelram::caches
