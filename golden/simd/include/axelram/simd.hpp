#pragma once

#include "axelram/names.hpp"

namespace axelram {

/// Instruction sets that the fast units are compiled for, in ascending order. `avx2` also requires
/// F16C and BMI2; `avx512` requires F, BW, DQ, VL, VBMI, VBMI2, VNNI, VPOPCNTDQ and GFNI (Ice Lake,
/// Zen 4 and later).
enum class SimdLevel { portable, avx2, avx512 };

template <>
struct EnumNames<SimdLevel> {
  static constexpr EnumRow<SimdLevel> rows[] = {
      {SimdLevel::portable, "portable", "plain loops, for every CPU"},
      {SimdLevel::avx2, "avx2", "AVX2, F16C and BMI2"},
      {SimdLevel::avx512, "avx512", "AVX-512 of Ice Lake and Zen 4"}};
};

const char* simd_level_name(SimdLevel level);

/// The highest level that this CPU and operating system can run.
SimdLevel best_simd_level();

/// Default level of the fast units: best_simd_level(), or a lower level named by the environment
/// variable AXELRAM_SIMD = portable | avx2 | avx512, which is read once. Other values are ignored.
SimdLevel simd_level();

}  // namespace axelram
