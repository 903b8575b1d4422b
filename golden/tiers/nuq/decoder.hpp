#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/nuq.hpp"
#include "axelram/simd.hpp"
#include "simd/level_units.hpp"

namespace axelram {

/// Decodes many KVQuant rows of one layout. The caller has set DefaultFloatEnvironment.
class NuqDecoder {
 public:
  static constexpr std::size_t kRows = 16;     ///< that fit the caches of a core decoded
  static constexpr std::size_t kWidest = 256;  ///< channels

  /// As decode_nuq_ref.
  NuqDecoder(const NuqLayout& layout, const std::vector<std::uint16_t>& levels,
             const NuqRanges& ranges, SimdLevel level);

  /// x: [count, d].
  void decode(const std::uint8_t* rows, std::size_t count, float* x) const;

  const LevelUnits& units() const { return units_; }

 private:
  NuqLayout layout_;
  NuqRanges ranges_;
  const LevelUnits& units_;
  float levels_[16];
};

}  // namespace axelram
