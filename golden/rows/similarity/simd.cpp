#include "rows/similarity/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// The slot of largest acc / N among many, in products: acc_p * N_q > acc_q * N_p. Each lane of 64
/// bits keeps its nearest slot.

namespace axelram::AXELRAM_LEVEL {
namespace {

struct Lanes {
  Integers acc, roots, slots;  ///< the lower halves of the lanes
};

#ifdef __AVX512F__
Integers widened(const void* from) { return _mm512_cvtepi32_epi64(load_half(from)); }

Integers choose(Integers a, Integers b, __mmask8 of_b) { return _mm512_mask_mov_epi64(a, of_b, b); }

__mmask8 is_nearer(const Lanes& a, const Lanes& b) {
  const Integers of_a = multiply_even(a.acc, b.roots), of_b = multiply_even(b.acc, a.roots);
  const __mmask8 equal = _mm512_cmpeq_epi64_mask(of_a, of_b);
  return static_cast<__mmask8>(_mm512_cmpgt_epi64_mask(of_a, of_b) |
                               _mm512_mask_cmplt_epi64_mask(equal, a.slots, b.slots));
}
#else
Integers widened(const void* from) { return _mm256_cvtepi32_epi64(load_half(from)); }

Integers choose(Integers a, Integers b, Integers of_b) { return _mm256_blendv_epi8(a, b, of_b); }

Integers is_nearer(const Lanes& a, const Lanes& b) {
  const Integers of_a = multiply_even(a.acc, b.roots), of_b = multiply_even(b.acc, a.roots);
  const Integers lower = _mm256_cmpgt_epi64(b.slots, a.slots);
  return _mm256_or_si256(_mm256_cmpgt_epi64(of_a, of_b),
                         _mm256_and_si256(_mm256_cmpeq_epi64(of_a, of_b), lower));
}
#endif

Lanes lanes_at(const SlotCosines& of, std::size_t i) {
  return {widened(of.acc + i), widened(of.roots + i), widened(of.slots + i)};
}

}  // namespace

NearestSlot nearest_slot(const SlotCosines& of) {
  Lanes best = lanes_at(of, 0);
  for (std::size_t i = kLanes64; i < of.count; i += kLanes64) {
    const Lanes next = lanes_at(of, i);
    const auto nearer = is_nearer(next, best);
    best = {choose(best.acc, next.acc, nearer), choose(best.roots, next.roots, nearer),
            choose(best.slots, next.slots, nearer)};
  }
  alignas(64) std::int64_t acc[kLanes64], roots[kLanes64], slots[kLanes64];
  store(acc, best.acc);
  store(roots, best.roots);
  store(slots, best.slots);
  NearestSlot nearest{kFarthest, 1, 0};
  for (int lane = 0; lane < kLanes64; ++lane) {
    const NearestSlot one{static_cast<std::int32_t>(acc[lane]),
                          static_cast<std::uint32_t>(roots[lane]),
                          static_cast<std::int32_t>(slots[lane])};
    if (nearer_slot(one, nearest)) nearest = one;
  }
  return nearest;
}

}  // namespace axelram::AXELRAM_LEVEL
