#include "simd/level_units.hpp"

namespace axelram {
namespace {

/// By SimdLevel.
constexpr LevelUnits kUnits[] = {
    {
#define AXELRAM_UNIT(name, type) .name = portable::name,
#define AXELRAM_X86_UNIT(name, type) .name = nullptr,
#include "simd/units.inl"
    },
#ifdef AXELRAM_X86
    {
#define AXELRAM_UNIT(name, type) .name = avx2::name,
#include "simd/units.inl"
    },
    {
#define AXELRAM_UNIT(name, type) .name = avx512::name,
#include "simd/units.inl"
    },
#endif
};

}  // namespace

const LevelUnits& level_units(SimdLevel level, bool fit) {
  static const SimdLevel best = best_simd_level();
  if (!fit) return kUnits[static_cast<int>(SimdLevel::portable)];
  return kUnits[static_cast<int>(level < best ? level : best)];
}

}  // namespace axelram
