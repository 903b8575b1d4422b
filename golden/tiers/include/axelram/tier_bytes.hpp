#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/names.hpp"
#include "axelram/tiers.hpp"

namespace axelram {

// Bytes of a tiered cache, counted by tier and by kind (bit-contract.md#tiers-bytes).

/// How a coded tier holds its rows. The values are those of stored blocks
/// (bit-contract.md#tier-formats).
enum class TierFormat : std::uint8_t { kivi, kivi_nested, squat, kvquant, axelram };

/// kivi_nested has no row: a block becomes nested, and no user names it.
template <>
struct EnumNames<TierFormat> {
  static constexpr EnumRow<TierFormat> rows[] = {
      {TierFormat::kivi, "kivi", "asymmetric groups, keys per channel, values per token"},
      {TierFormat::squat, "squat", "KIVI whose key codes make up for earlier channels' errors"},
      {TierFormat::kvquant, "kvquant", "indices of a calibrated codebook, outliers apart"},
      {TierFormat::axelram, "axelram", "records of a macro"}};
};

struct TierStore {
  TierFormat format = TierFormat::kivi;
  int bits = 4;  ///< 2, 3, 4

  bool operator==(const TierStore& other) const {
    return format == other.format && bits == other.bits;
  }
  /// b + 16 * format, as in results.
  std::uint8_t code() const {
    return static_cast<std::uint8_t>(bits + 16 * static_cast<int>(format));
  }
};

/// Tokens from which `auto` chooses another archive.
inline constexpr std::size_t kAutomaticChanges[] = {2048, 8192};

/// The archive that `auto` chooses for what moves when a sequence has `tokens` tokens
/// (bit-contract.md#tier-formats).
TierStore automatic_archive_ref(std::size_t tokens);

enum class TierPart : std::uint8_t { keys, values };

struct TierShape {
  std::size_t d = 128;
  std::size_t group = 32;        ///< tokens of a key block; divides the step of keys
  std::size_t value_group = 32;  ///< divides d
  std::size_t outliers = 2;      ///< exact elements of a KVQuant row
};

/// Bytes by kind.
struct TierBytes {
  std::size_t rows = 0;      ///< FP16
  std::size_t codes = 0;     ///< codes and indices
  std::size_t scales = 0;    ///< scales, norms of records, largest elements of KVQuant's values
  std::size_t minima = 0;    ///< minima, least elements of KVQuant's values
  std::size_t outliers = 0;  ///< channel numbers and FP16 elements

  std::size_t total() const { return rows + codes + scales + minima + outliers; }
  TierBytes& operator+=(const TierBytes& other);
  TierBytes operator*(std::size_t times) const;
};

/// One block: `group` keys, or one value.
TierBytes block_bytes_ref(TierPart part, const TierStore& store, const TierShape& shape);

/// Keys or values of a sequence, by tier.
struct StoreBytes {
  TierBytes fp16;  ///< sinks and hot tokens
  TierBytes warm;
  TierBytes archive;

  std::size_t total() const { return fp16.total() + warm.total() + archive.total(); }
};

/// Bytes of `tokens` tokens whose tiers have one store each. If archived blocks differ, the archive
/// is the sum of block_bytes_ref of each.
StoreBytes store_bytes_ref(TierPart part, const TierShape& shape, std::size_t sink,
                           const TierBounds& bounds, std::size_t tokens, const TierStore& warm,
                           const TierStore& archive);

}  // namespace axelram
