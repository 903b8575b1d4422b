#include "simd/level_units.hpp"

namespace axelram {
namespace {

// The arguments behind the level are the units that the portable level does not have.
#define AXELRAM_LEVEL_UNITS(level, ...)                                                \
  LevelUnits {                                                                         \
    level::max_magnitude, level::scale_fp16, level::scale_bf16, level::square_sum,     \
        level::hadamard, level::apply_signs, level::round_elements, level::quantize,   \
        level::encode_trellis, __VA_ARGS__, level::correlation, level::residual,       \
        level::accumulate_copy, level::weighted_sums, level::pack, level::dot,         \
        level::round_direct, level::round_any, level::round_sums, level::score_kivi,   \
        level::sum_kivi, level::decode_nuq_rows, level::score_rows, level::sum_rows,   \
        level::sum_groups, level::nearest_slot, level::scale_row, level::begin_master, \
        level::blend                                                                   \
  }
#define AXELRAM_X86_UNITS(level)                                                   \
  AXELRAM_LEVEL_UNITS(level, level::encode_feedback, level::encode_feedback_path,  \
                      level::encode_kivi, level::encode_nuq, level::feed_back_run, \
                      level::decode_kivi)

/// By SimdLevel.
constexpr LevelUnits kUnits[] = {
    AXELRAM_LEVEL_UNITS(portable, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
#ifdef AXELRAM_X86
    AXELRAM_X86_UNITS(avx2),
    AXELRAM_X86_UNITS(avx512),
#endif
};

}  // namespace

const LevelUnits& level_units(SimdLevel level) {
  static const SimdLevel best = best_simd_level();
  return kUnits[static_cast<int>(level < best ? level : best)];
}

}  // namespace axelram
