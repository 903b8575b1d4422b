#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "axelram/caches/axelram_setup.hpp"
#include "specification/kind.hpp"
#include "tiers/tier_files.hpp"
#include "tiers/tiered_reading.hpp"

namespace axelram::caches {
namespace {

/// Keys and values in tiers, of a whole model.
class TieredCache : public transformer::KvCache {
 public:
  TieredCache(TierSettings settings, const Shape& shape, const UnitTable& units)
      : shared_(std::make_shared<Shared>(std::move(settings), shape)),
        d_(static_cast<std::size_t>(shape.head_dim)),
        units_(units) {}

  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<TieredKeys>(of(CacheSite{layer, head, false}));
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<TieredValues>(of(CacheSite{layer, head, true}));
  }
  bool keys_before_rotary() const override { return shared_->settings.rope == files::Rope::pre; }

 private:
  /// Settings and files belong to the cache and to its heads, which may outlive it.
  struct Shared {
    Shared(TierSettings given, const Shape& shape)
        : settings(std::move(given)), files(model_tier_files(settings, shape)) {}

    TierSettings settings;
    std::unique_ptr<const TierSource> files;
  };

  TierHead of(const CacheSite& site) const {
    return {shared_->settings, d_, site, *shared_->files, units_, shared_};
  }

  std::shared_ptr<const Shared> shared_;
  std::size_t d_;
  const UnitTable& units_;
};

template <class Row>
SharedCache make_tiered_cache(const Row& row, const Shape& shape, const UnitTable& units) {
  return std::make_shared<TieredCache>(row.tiers(), shape, units);
}

constexpr std::size_t kMostTokens = (std::size_t{1} << 30) - 1;

template <class Row>
Parameter<Row> tokens_key(const std::string& key, const std::string& help,
                          std::size_t TierSizes::*member, std::size_t least) {
  const std::size_t fallback = Row().settings.sizes.*member;
  return number_key<Row, std::size_t>(
      {key, "N", std::to_string(fallback), help},
      [member](auto& row) -> auto& { return row.settings.sizes.*member; }, least, kMostTokens,
      "a whole number of tokens from " + std::to_string(least) + " to 2^30 - 1");
}

template <class Row>
Parameter<Row> group_key(const std::string& key, const std::string& help,
                         std::size_t TierSettings::*member, TierPart part) {
  return with_part(number_key<Row, std::size_t>(
                       {key, "N", std::to_string(TierSettings().*member), help},
                       [member](auto& row) -> auto& { return row.settings.*member; }, 8, 256,
                       "8, 16, 32, 64, 128 or 256"),
                   part);
}

template <class Row>
Parameter<Row> key_group() {
  return group_key<Row>("group", "tokens of a key block", &TierSettings::group, TierPart::keys);
}

template <class Row>
Parameter<Row> value_group() {
  return group_key<Row>("value_group", "channels of a group of values", &TierSettings::value_group,
                        TierPart::values);
}

template <class Row>
Parameter<Row> rope_key() {
  return choice_key<Row, files::Rope>(
      "rope", "keys are stored after rotary embedding, or before it",
      [](auto& row) -> auto& { return row.settings.rope; });
}

/// Stores that a tier can have; nothing is `auto`.
const std::vector<std::optional<TierStore>>& warm_stores() {
  static const std::vector<std::optional<TierStore>> stores = {
      TierStore{TierFormat::kivi, 4}, TierStore{TierFormat::kivi, 3},
      TierStore{TierFormat::axelram, 4}, TierStore{TierFormat::axelram, 3}};
  return stores;
}

const std::vector<std::optional<TierStore>>& archive_stores() {
  static const std::vector<std::optional<TierStore>> stores = [] {
    std::vector<std::optional<TierStore>> all;
    for (const EnumRow<TierFormat>& row : EnumNames<TierFormat>::rows)
      for (const int bits : {2, 3, 4}) all.push_back(TierStore{row.value, bits});
    all.push_back(std::nullopt);
    return all;
  }();
  return stores;
}

/// A choice among stores, which `get` and `set` find in the settings.
Parameter<Tiered> store_key(const std::string& key, const std::string& help,
                            const std::vector<std::optional<TierStore>>& stores,
                            std::optional<TierStore> (*get)(const TierSettings&),
                            void (*set)(TierSettings*, const std::optional<TierStore>&)) {
  std::vector<std::string> names;
  std::string choices;
  for (const auto& store : stores) {
    names.push_back(to_string(store));
    choices += (choices.empty() ? "" : "|") + names.back();
  }
  return {{key, choices, to_string(get(TierSettings())), help},
          [=](const std::string& value, Tiered* row) -> std::optional<std::string> {
            for (std::size_t i = 0; i < names.size(); ++i)
              if (names[i] == value) {
                set(&row->settings, stores[i]);
                return std::nullopt;
              }
            return "; " + known_names(value, names);
          },
          [get](const Tiered& row) {
            const std::optional<TierStore> store = get(row.settings);
            return store == get(TierSettings()) ? std::string() : to_string(store);
          }};
}

template <TierFormat... formats>
bool uses(const Tiered& row) {
  return (row.settings.uses(formats) || ...);
}

template <class Row>
std::vector<std::pair<std::string, std::string>> rejected_keys() {
  const std::string later = "this version has no ";
  return {{"budget", later + "rematerialisation"},
          {"pressure", later + "rematerialisation"},
          {"keep", later + "rematerialisation"},
          {"compute", later + "rematerialisation"},
          {"adapt", later + "adaptive thresholds"},
          {"target", later + "adaptive thresholds"},
          {"hot_max", later + "adaptive thresholds"},
          {"thresholds", later + "adaptive thresholds"},
          {"ber", "bit errors are not injected into tiers; use axelram or int4"},
          {"fault_seed", "bit errors are not injected into tiers; use axelram or int4"},
          {"code", "tiers have no code; use axelram or int4"}};
}

bool reseed_tiered(Tiered* row, std::uint64_t seed) {
  TierSettings& settings = row->settings;
  if (!settings.uses(TierFormat::axelram) || settings.seed) return false;
  if (files::find_config(settings.config).rotation.source != files::Rotation::Source::seed)
    return false;
  settings.seed = seed;
  return true;
}

}  // namespace

TierSettings Kivi::tiers() const {
  TierSettings tiers = settings;
  tiers.sizes.warm = 0;
  tiers.archive = TierStore{TierFormat::kivi, bits};
  return tiers;
}

const Kind<Kivi>& Kivi::kind() {
  static const Kind<Kivi> kind{
      "KIVI: keys per channel in blocks of tokens, values per token, behind FP16 tokens",
      {number_key<Kivi, int>(
           {"bits", "N", "4", "bits of a code"}, [](auto& row) -> auto& { return row.bits; }, 2, 4,
           "2, 3 or 4"),
       key_group<Kivi>(), value_group<Kivi>(),
       tokens_key<Kivi>("hot", "newest tokens in FP16, at least", &TierSizes::hot, 1),
       tokens_key<Kivi>("step", "tokens that move together", &TierSizes::step, 1),
       tokens_key<Kivi>("sink", "first tokens that stay in FP16", &TierSizes::sink, 0),
       rope_key<Kivi>()},
      make_tiered_cache<Kivi>,
      nothing_to_seed<Kivi>,
      rejected_keys<Kivi>()};
  return kind;
}

const Kind<Tiered>& Tiered::kind() {
  static const Kind<Tiered> kind{
      "tiers by age: FP16, a warm tier, an archive",
      {tokens_key<Tiered>("hot", "newest tokens in FP16, at least", &TierSizes::hot, 1),
       tokens_key<Tiered>("warm", "tokens between hot and archive", &TierSizes::warm, 0),
       with_need<Tiered>(
           store_key(
               "warm_store", "how the warm tier is stored", warm_stores(),
               [](const TierSettings& settings) { return std::optional(settings.warm); },
               [](TierSettings* settings, const std::optional<TierStore>& store) {
                 settings->warm = *store;
               }),
           [](const Tiered& row) { return row.settings.sizes.warm != 0; },
           "there is no warm tier; give warm above 0"),
       store_key(
           "archive_store", "how the archive is stored", archive_stores(),
           [](const TierSettings& settings) { return settings.archive; },
           [](TierSettings* settings, const std::optional<TierStore>& store) {
             settings->archive = store;
           }),
       key_group<Tiered>(),
       with_need<Tiered>(value_group<Tiered>(), uses<TierFormat::kivi, TierFormat::squat>,
                         "no store is kivi or squat; give one that is, or leave it out"),
       tokens_key<Tiered>("step", "tokens that move together", &TierSizes::step, 1),
       tokens_key<Tiered>("sink", "first tokens that stay in FP16", &TierSizes::sink, 0),
       rope_key<Tiered>(),
       with_need<Tiered>(file_key<Tiered>(
                             "calibration",
                             "constants of squat and kvquant, by the file that 'axelram calibrate "
                             "--tiers' writes",
                             [](auto& row) -> auto& { return row.settings.calibration; }),
                         uses<TierFormat::squat, TierFormat::kvquant>,
                         "no store is squat or kvquant; give one that is, or leave it out"),
       with_need<Tiered>(number_key<Tiered, int>(
                             {"qnorm", "0|1", "0", "kvquant decodes with the levels of Q-Norm"},
                             [](auto& row) -> auto& { return row.settings.qnorm; }, 0, 1, "0 or 1"),
                         uses<TierFormat::kvquant>,
                         "no store is kvquant; give one that is, or leave it out"),
       with_need<Tiered>(
           text_key<Tiered>(
               {"config", kConfiguration, "none", "configuration of the records of axelram"},
               [](auto& row) -> auto& { return row.settings.config; },
               [](const std::string&) { return std::optional<std::string>(); }),
           uses<TierFormat::axelram>, "no store is axelram; give one that is, or leave it out"),
       with_need<Tiered>(seed_key<Tiered>(
                             {"seed", "N", "the configuration's", "seed of the signs of axelram"},
                             [](auto& row) -> auto& { return row.settings.seed; }),
                         uses<TierFormat::axelram>,
                         "no store is axelram; give one that is, or leave it out"),
       with_need<Tiered>(
           balance_key<Tiered>([](auto& row) -> auto& { return row.settings.balance; }),
           uses<TierFormat::axelram>, "no store is axelram; give one that is, or leave it out")},
      make_tiered_cache<Tiered>,
      reseed_tiered,
      rejected_keys<Tiered>()};
  return kind;
}

}  // namespace axelram::caches
