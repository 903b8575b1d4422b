#include "level_units.hpp"

namespace axelram {
namespace {

#define AXELRAM_LEVEL_UNITS(level)                                                     \
  LevelUnits {                                                                         \
    level::max_magnitude, level::scale_fp16, level::scale_bf16, level::square_sum,     \
        level::hadamard, level::apply_signs, level::quantize, level::pack, level::dot, \
        level::round_direct, level::round_any                                          \
  }

constexpr LevelUnits kPortable = AXELRAM_LEVEL_UNITS(portable);
#ifdef AXELRAM_X86
constexpr LevelUnits kAvx2 = AXELRAM_LEVEL_UNITS(avx2);
constexpr LevelUnits kAvx512 = AXELRAM_LEVEL_UNITS(avx512);
#endif

}  // namespace

const LevelUnits& level_units(SimdLevel level) {
  static const SimdLevel best = best_simd_level();
  const SimdLevel usable = level < best ? level : best;
#ifdef AXELRAM_X86
  if (usable == SimdLevel::avx512) return kAvx512;
  if (usable == SimdLevel::avx2) return kAvx2;
#endif
  static_cast<void>(usable);
  return kPortable;
}

}  // namespace axelram
