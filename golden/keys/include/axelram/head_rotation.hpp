#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram {

/// Constants of a macro's layer and KV head: sign vectors, the channels of a split, and exponents.
struct HeadRotation {
  std::vector<std::int8_t> signs;            ///< d, +1 or -1; with a split sub-vector 0 first
  std::vector<std::int8_t> residual_signs;   ///< d, of the second rotation; with the kind prod
  std::vector<std::uint16_t> high_channels;  ///< d/2 of sub-vector 0, ascending; with a split
  /// d exponents, kLeastExponent..kMostExponent, in the order of a key's channels; if balanced. A
  /// key's element is taken times 2^-exponent, a query's times 2^exponent
  /// (bit-contract.md#exponents).
  std::vector<std::int8_t> balance;

  // Implicit: signs alone are a rotation without a split or a residual.
  HeadRotation(std::vector<std::int8_t> all_signs) : signs(std::move(all_signs)) {}
  HeadRotation() = default;

  /// That of values: they are not balanced.
  HeadRotation of_values() const {
    HeadRotation rotation = *this;
    rotation.balance.clear();
    return rotation;
  }
};

inline bool operator==(const HeadRotation& a, const HeadRotation& b) {
  return a.signs == b.signs && a.residual_signs == b.residual_signs &&
         a.high_channels == b.high_channels && a.balance == b.balance;
}

/// Signs and center of one layer and KV head of a macro that holds several.
struct RotationRow {
  HeadRotation rotation;
  std::vector<std::uint16_t> center;  ///< d raw elements if parameters.centered, else empty
};

constexpr int kLeastExponent = -8, kMostExponent = 7;  // of HeadRotation::balance

constexpr std::uint64_t kDefaultSeed = 42;

/// The seed of the second rotation is the seed XOR this (bit-contract.md#residual).
constexpr std::uint64_t kResidualSeed = 0x514A4C;

/// KV heads below this limit have sign vectors of their own for both sub-vectors of a split.
constexpr int kMaxSplitHeads = 1 << 18;

/// Channels in the order of the rotated elements: those of sub-vector 0, then all others
/// (bit-contract.md#split); empty without a split.
std::vector<std::uint16_t> channel_order(const std::vector<std::uint16_t>& high_channels,
                                         int head_dim);

/// All signs from a seed (bit-contract.md#signs, bit-contract.md#residual, bit-contract.md#split).
/// high_channels: of a split, otherwise empty. layer < 2^20, head < 2^20, with a split
/// kMaxSplitHeads.
HeadRotation seeded_rotation(const Parameters& parameters, std::uint64_t seed, int layer, int head,
                             std::vector<std::uint16_t> high_channels = {});

/// Signs as given, one for each channel of a key; those of the second rotation are from the default
/// seed.
HeadRotation given_rotation(const Parameters& parameters, const std::vector<std::int8_t>& signs,
                            int layer, int head, std::vector<std::uint16_t> high_channels = {});

/// Throws std::invalid_argument for a rotation that a macro of these parameters cannot have: wrong
/// sizes, other signs, channels that do not ascend, exponents out of range.
void check_rotation(const HeadRotation& rotation, const Parameters& parameters);

}  // namespace axelram
