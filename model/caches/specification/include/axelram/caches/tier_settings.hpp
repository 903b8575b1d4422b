#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "axelram/files/tier_constants.hpp"
#include "axelram/tier_bytes.hpp"
#include "axelram/tiers.hpp"

namespace axelram::caches {

/// What a tiered cache of keys or of values is made of (bit-contract.md#tiered-cache).
struct TierSettings {
  TierSizes sizes;
  std::size_t group = 32;        ///< tokens of a key block: 8 .. 256, a power of two
  std::size_t value_group = 32;  ///< channels of a group of values: 8 .. d, a power of two
  TierStore warm = {TierFormat::kivi, 4};                             ///< unused if sizes.warm is 0
  std::optional<TierStore> archive = TierStore{TierFormat::kivi, 2};  ///< nothing: `auto`
  files::Rope rope = files::Rope::post;                               ///< of the keys
  std::string calibration;            ///< file of constants; "": none
  int qnorm = 0;                      ///< KVQuant decodes with the levels of Q-Norm
  std::string config;                 ///< configuration of the records; "": none
  std::optional<std::uint64_t> seed;  ///< of their signs, in place of the configuration's
  std::string balance;  ///< exponents of keys, where the configuration has none; "": none

  bool operator==(const TierSettings& other) const = default;

  /// True if a tier, or `auto` at some number of tokens, has the format.
  bool uses(TierFormat format) const;
};

/// Whether settings must name the files that their stores need: to count bytes they need not.
enum class NamedFiles : std::uint8_t { required, optional };

/// Throws std::invalid_argument, with what would be right, for settings that contradict each other
/// or that keys, or values, cannot have.
void check_tier_settings(const TierSettings& settings, TierPart part,
                         NamedFiles files = NamedFiles::required);

/// "kivi4", "squat2"; "auto".
std::string to_string(const std::optional<TierStore>& store);

}  // namespace axelram::caches
