#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/names.hpp"
#include "axelram/nuq.hpp"
#include "axelram/squat.hpp"

namespace axelram::files {

/// Keys that a store holds: behind or before the rotation of positions.
enum class Rope : std::uint8_t { post, pre };

}  // namespace axelram::files

namespace axelram {

template <>
struct EnumNames<files::Rope> {
  static constexpr EnumRow<files::Rope> rows[] = {
      {files::Rope::post, "post", "keys after rotary embedding"},
      {files::Rope::pre, "pre", "keys before rotary embedding, turned where they are read"}};
};

}  // namespace axelram

namespace axelram::files {

/// Constants of the tiers of a model (bit-contract.md#tier-constants). Empty vectors: the file does
/// not have them. FP16 numbers are raw.
struct TierConstants {
  /// [bits - 2], bits = 2, 3, 4: [layers, 2^bits].
  using ByBits = std::array<std::vector<std::uint16_t>, 3>;

  std::string origin;                         ///< the file, for messages
  std::size_t layers = 0, heads = 0, d = 0;   ///< 0: nothing in the file depends on it
  Rope rope = Rope::post;                     ///< of the keys that gave all constants
  double outliers = 0;                        ///< share of exact elements in a row of KVQuant
  std::size_t squat_channels = 0;             ///< g; 0: no matrices
  std::string model;                          ///< digest of the model's tensors, or empty
  std::vector<std::int16_t> squat_matrices;   ///< [layers, heads, g^2 * h * (h - 1) / 2], h = d / g
  std::vector<std::int32_t> squat_exponents;  ///< [layers, heads, h - 1]
  std::vector<std::uint16_t> key_middles, key_radii;  ///< [layers, heads, d]
  ByBits key_codebooks, value_codebooks;              ///< centroids, strictly ascending
  ByBits key_levels, value_levels;                    ///< what indices decode to with Q-Norm

  bool has_squat() const { return squat_channels != 0; }

  /// These throw InputError for a layer or head that the file does not have, std::logic_error if it
  /// was read without what they return.
  SquatFeedback feedback(std::size_t layer, std::size_t head) const;
  NuqRanges ranges(std::size_t layer, std::size_t head) const;  ///< points into this struct
  NuqCodebook key_codebook(std::size_t layer, int bits, bool qnorm) const;
  NuqCodebook value_codebook(std::size_t layer, int bits, bool qnorm) const;
};

/// What a store takes from a file of constants, and the model that it belongs to. 0 and nothing:
/// any.
struct TierNeeds {
  bool squat = false;
  std::vector<int> key_bits, value_bits;  ///< of stores `kvquant`: 2, 3, 4
  bool qnorm = false;                     ///< levels of their codebooks
  std::optional<Rope> rope = {};
  std::size_t layers = 0, heads = 0, d = 0;
  /// Digest of the model's tensors, computed only if the file names its model.
  std::function<std::string()> model = {};
};

/// Reads all constants of a file. Throws InputError, with file, tensor, row and value, if it lacks
/// what a store needs, belongs to other keys, another shape or another model, or if any constant in
/// it, needed or not, has another type or shape than bit-contract.md#tier-constants states, is NaN
/// or infinite, an exponent lies outside -20..0, a radius is negative, or centroids do not ascend.
TierConstants read_tier_constants(const std::string& path, const TierNeeds& needs);
TierConstants tier_constants_from(const Safetensors& file, const TierNeeds& needs);

/// Writes what is not empty. metadata: further texts. Throws like write_safetensors.
void write_tier_constants(const std::string& path, const TierConstants& all, Metadata metadata,
                          bool force);

}  // namespace axelram::files
