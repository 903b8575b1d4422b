#include "constants.hpp"

#include <algorithm>
#include <set>

namespace axelram::commands::tiers {
namespace {

constexpr std::uint64_t kHalfBytes = 2;
constexpr std::uint64_t kBoundaryBits = 20;  ///< of the ROM of a macro (bit-contract.md#codebook)

/// Widths of the tiers of `settings` that have a format.
std::set<int> widths(const caches::TierSettings& settings, TierFormat format) {
  std::set<int> bits;
  for (const TierStore& store : stores_of(settings))
    if (store.format == format) bits.insert(store.bits);
  return bits;
}

class Constants {
 public:
  Constants(const TieredCache& cache, const CachedModel& model) : cache_(cache), model_(model) {}

  std::vector<Constant> take() {
    add_squat();
    add_kvquant();
    add_axelram();
    return std::move(constants_);
  }

 private:
  void add(const std::string& name, std::uint64_t bytes, const std::string& note) {
    constants_.push_back({name, bytes, note});
  }

  void add_squat() {
    if (widths(cache_.keys, TierFormat::squat).empty()) return;
    const std::uint64_t g = cache_.squat_channels, runs = model_.head_dim / g;
    add("squat_matrices", 2 * model_.streams() * g * g * (runs * (runs - 1) / 2),
        "I16, for each layer and KV head the feedback between runs of " + std::to_string(g) +
            " channels; one for all widths");
    add("squat_exponents", 4 * model_.streams() * (runs - 1), "I32, one for each matrix");
  }

  void add_kvquant() {
    const std::set<int> keys = widths(cache_.keys, TierFormat::kvquant);
    const std::uint64_t channels = kHalfBytes * model_.streams() * model_.head_dim;
    if (!keys.empty()) {
      add("key_middles", channels, "FP16, d for each layer and KV head");
      add("key_radii", channels, "FP16, d for each layer and KV head");
    }
    add_codebooks("key", keys, cache_.keys.qnorm);
    add_codebooks("value", widths(cache_.values, TierFormat::kvquant), cache_.values.qnorm);
  }

  void add_codebooks(const std::string& part, const std::set<int>& widths, bool qnorm) {
    for (const int bits : widths) {
      const std::string width = std::to_string(bits);
      const std::uint64_t bytes = kHalfBytes * model_.shape.layers << bits;
      add(part + "_codebook" + width, bytes, "FP16, 2^" + width + " centroids for each layer");
      if (qnorm)
        add(part + "_levels" + width, bytes,
            "FP16, what an index decodes to with Q-Norm, for each layer");
    }
  }

  void add_axelram() {
    const std::set<int> keys = widths(cache_.keys, TierFormat::axelram);
    const std::set<int> values = widths(cache_.values, TierFormat::axelram);
    const bool centered = cache_.key_macro.centered && !keys.empty();
    const bool one =
        cache_.keys.config == cache_.values.config && cache_.keys.seed == cache_.values.seed;
    if (keys.empty()) {
      add_macro("axelram", values, cache_.value_macro, false);
    } else if (one || values.empty()) {
      std::set<int> all = keys;
      all.insert(values.begin(), values.end());
      add_macro("axelram", all, cache_.key_macro, centered);
    } else {
      add_macro("axelram_key", keys, cache_.key_macro, centered);
      add_macro("axelram_value", values, cache_.value_macro, false);
    }
  }

  void add_macro(const std::string& name, const std::set<int>& widths, const MacroConstants& macro,
                 bool centered) {
    if (widths.empty()) return;
    add(name + "_signs", model_.streams() * model_.head_dim / 8,
        "d bits for each layer and KV head");
    if (centered)
      add(name + "_center", kHalfBytes * model_.streams() * model_.head_dim,
          "d floats for each layer and KV head, of keys alone");
    for (const int bits : widths) {
      const std::uint64_t levels = std::uint64_t{1} << bits;
      const std::uint64_t rom =
          (levels - 1) * kBoundaryBits + levels * static_cast<std::uint64_t>(macro.centroid_bits);
      add(name + "_codebook" + std::to_string(bits), (rom + 7) / 8,
          "boundaries of 20 bits and centroids of " + std::to_string(macro.centroid_bits) +
              ", one for all layers");
    }
  }

  const TieredCache& cache_;
  const CachedModel& model_;
  std::vector<Constant> constants_;
};

}  // namespace

std::vector<TierStore> stores_of(const caches::TierSettings& settings) {
  std::vector<TierStore> stores;
  if (settings.sizes.warm > 0) stores.push_back(settings.warm);
  if (settings.archive) {
    stores.push_back(*settings.archive);
  } else {
    stores.push_back(automatic_archive_ref(0));
    for (const std::size_t tokens : kAutomaticChanges)
      stores.push_back(automatic_archive_ref(tokens));
  }
  return stores;
}

std::vector<Constant> constants_of(const TieredCache& cache, const CachedModel& model) {
  return Constants(cache, model).take();
}

}  // namespace axelram::commands::tiers
