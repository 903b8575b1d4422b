#include <cstdlib>

#include "axelram/simd.hpp"

#ifdef AXELRAM_X86
#include <cpuid.h>
#endif

namespace axelram {
namespace {

#ifdef AXELRAM_X86
// Not every compiler's __builtin_cpu_supports knows F16C. The AVX2 test before it has made sure
// that the operating system saves the registers.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && has_f16c();
}

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni") &&
         __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

SimdLevel default_level() {
  const SimdLevel best = best_simd_level();
  const char* wanted = std::getenv("AXELRAM_SIMD");
  if (wanted == nullptr) return best;
  for (const auto& row : EnumNames<SimdLevel>::rows)
    if (row.value < best && row.name == wanted) return row.value;
  return best;
}

}  // namespace

const char* simd_level_name(SimdLevel level) {
  for (const auto& row : EnumNames<SimdLevel>::rows)
    if (row.value == level) return row.name.data();
  return "portable";
}

SimdLevel best_simd_level() {
#ifdef AXELRAM_X86
  if (has_avx2()) return has_avx512() ? SimdLevel::avx512 : SimdLevel::avx2;
#endif
  return SimdLevel::portable;
}

SimdLevel simd_level() {
  static const SimdLevel level = default_level();
  return level;
}

}  // namespace axelram
