#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/caches/tier_settings.hpp"
#include "cached_model.hpp"

namespace axelram::commands::tiers {

/// Constants of the macro behind stores `axelramB`.
struct MacroConstants {
  bool centered = false;
  int centroid_bits = 8;
};

/// Settings of keys and values, and what the files that they name decide.
struct TieredCache {
  caches::TierSettings keys, values;
  std::size_t key_outliers = 2, value_outliers = 2;  ///< exact elements of a KVQuant row
  std::size_t squat_channels = 64;                   ///< g of the feedback, at most head_dim
  MacroConstants key_macro, value_macro;

  TierShape key_shape(const CachedModel& model) const {
    return {model.head_dim, keys.group, keys.value_group, key_outliers};
  }
  TierShape value_shape(const CachedModel& model) const {
    return {model.head_dim, values.group, values.value_group, value_outliers};
  }
};

/// The stores that the tiers of `settings` can have: of `auto` all three.
std::vector<TierStore> stores_of(const caches::TierSettings& settings);

/// Bytes that all sequences share, with the name of the tensor.
struct Constant {
  std::string name;
  std::uint64_t bytes = 0;
  std::string note;
};

/// Constants of all layers and KV heads. Signs and codebooks of records that keys and values both
/// have, of one configuration, are there once (bit-contract.md#squat-calibration,
/// bit-contract.md#nuq-calibration).
std::vector<Constant> constants_of(const TieredCache& cache, const CachedModel& model);

}  // namespace axelram::commands::tiers
