#include "simd/floats.hpp"
#include "simd/level_units.hpp"

/// FP16 masters. Numbers are clamped before they are rounded to FP16, which
/// saturates them; the sources of all levels are compiled without contraction.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr float kMost = 65504;
constexpr int kNearestEven = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

#ifdef __AVX512F__
Floats subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
void store_halfs(std::uint16_t* to, Floats v) {
  const Floats clamped = _mm512_min_ps(_mm512_max_ps(v, broadcast(-kMost)), broadcast(kMost));
  store_half(to, _mm512_cvtps_ph(clamped, kNearestEven));
}
#else
Floats subtract(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
void store_halfs(std::uint16_t* to, Floats v) {
  const Floats clamped = _mm256_min_ps(_mm256_max_ps(v, broadcast(-kMost)), broadcast(kMost));
  store_half(to, _mm256_cvtps_ph(clamped, kNearestEven));
}
#endif

}  // namespace

void begin_master(const float* row, std::size_t d, std::uint16_t* master) {
  for (std::size_t i = 0; i < d; i += kFloats) store_halfs(master + i, load_floats(row + i));
}

void blend(float eta, const float* row, std::size_t d, std::uint16_t* master) {
  for (std::size_t i = 0; i < d; i += kFloats) {
    const Floats m = load_halfs(master + i);
    const Floats change = multiply(broadcast(eta), subtract(load_floats(row + i), m));
    store_halfs(master + i, add(m, change));
  }
}

}  // namespace axelram::AXELRAM_LEVEL
