#include "level_units.hpp"

namespace axelram {
namespace {

#define AXELRAM_LEVEL_UNITS(level, feedback, path, kivi)                             \
  LevelUnits {                                                                       \
    level::max_magnitude, level::scale_fp16, level::scale_bf16, level::square_sum,   \
        level::hadamard, level::apply_signs, level::round_elements, level::quantize, \
        level::encode_trellis, feedback, path, kivi, level::correlation,             \
        level::residual, level::accumulate_copy, level::weighted_sums, level::pack,  \
        level::dot, level::round_direct, level::round_any, level::round_sums,        \
        level::score_kivi, level::sum_kivi, level::decode_nuq_rows,                  \
        level::score_rows, level::sum_rows                                           \
  }

/// By SimdLevel.
constexpr LevelUnits kUnits[] = {
    AXELRAM_LEVEL_UNITS(portable, nullptr, nullptr, nullptr),
#ifdef AXELRAM_X86
    AXELRAM_LEVEL_UNITS(avx2, avx2::encode_feedback, avx2::encode_feedback_path, avx2::encode_kivi),
    AXELRAM_LEVEL_UNITS(avx512, avx512::encode_feedback, avx512::encode_feedback_path,
                        avx512::encode_kivi),
#endif
};

}  // namespace

const LevelUnits& level_units(SimdLevel level) {
  static const SimdLevel best = best_simd_level();
  return kUnits[static_cast<int>(level < best ? level : best)];
}

}  // namespace axelram
