#include "kernels.hpp"

namespace axelram {
namespace {

#define AXELRAM_KERNELS(level)                                                         \
  Kernels {                                                                            \
    level::max_magnitude, level::scale_fp16, level::scale_bf16, level::square_sum,     \
        level::hadamard, level::apply_signs, level::quantize, level::pack, level::dot, \
        level::round_direct, level::round_any                                          \
  }

constexpr Kernels kPortable = AXELRAM_KERNELS(portable);
#ifdef AXELRAM_X86
constexpr Kernels kAvx2 = AXELRAM_KERNELS(avx2);
constexpr Kernels kAvx512 = AXELRAM_KERNELS(avx512);
#endif

}  // namespace

const Kernels& kernels(SimdLevel level) {
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
