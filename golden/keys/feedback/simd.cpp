#include "keys/feedback/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Encoder with feedback, without a trellis. A key at a time has the levels of the codebook in the
/// lanes of a register or two; both sets of instructions have registers of eight floats. As many
/// keys as lanes go side by side.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr int kEight = 8;
constexpr int kLongest = 512;
constexpr float kInfinity = __builtin_inff();

/// `v` has one lane that is not +0. All lanes become this one.
__m256 spread(__m256 v) {
  v = _mm256_or_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_or_ps(v, _mm256_permute_ps(v, 0x4E));
  return _mm256_or_ps(v, _mm256_permute_ps(v, 0xB1));
}

/// Levels of a codebook: level j is next to x if low_j < x <= high_j.
template <int registers>
struct Bounds {
  __m256 level[registers], low[registers], high[registers];

  Bounds(const float* levels, int count) {
    alignas(32) float all[3][kEight * registers];
    for (int j = 0; j < kEight * registers; ++j) {
      const bool real = j < count;
      all[0][j] = real ? levels[j] : 0;
      all[1][j] = !real ? kInfinity : j == 0 ? -kInfinity : (levels[j - 1] + levels[j]) / 2;
      all[2][j] = j + 1 < count ? (levels[j] + levels[j + 1]) / 2 : kInfinity;
    }
    for (int r = 0; r < registers; ++r) {
      level[r] = _mm256_load_ps(all[0] + kEight * r);
      low[r] = _mm256_load_ps(all[1] + kEight * r);
      high[r] = _mm256_load_ps(all[2] + kEight * r);
    }
  }

  /// Lanes of the level next to x, all ones; *index is its number.
  void choose(__m256 x, __m256* chosen, std::uint8_t* index) const {
    unsigned bits = 0;
    for (int r = 0; r < registers; ++r) {
      chosen[r] = _mm256_and_ps(_mm256_cmp_ps(x, low[r], _CMP_GT_OQ),
                                _mm256_cmp_ps(x, high[r], _CMP_LE_OQ));
      bits |= static_cast<unsigned>(_mm256_movemask_ps(chosen[r])) << (kEight * r);
    }
    *index = static_cast<std::uint8_t>(__builtin_ctz(bits));
  }
};

/// Rank 1. A of every level that may be chosen is computed before the choice.
template <int registers>
void each_rank1(const FeedbackRows& feedback, const std::int32_t* y, int d, const float* levels,
                int count, std::uint8_t* indices) {
  const Bounds<registers> bounds(levels, count);
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < d; ++i) {
    const __m256 element = _mm256_set1_ps(static_cast<float>(y[i]));
    const __m256 u = _mm256_set1_ps(feedback.u[i]), a = _mm256_set1_ps(feedback.a[i]);
    __m256 chosen[registers];
    bounds.choose(_mm256_add_ps(element, _mm256_mul_ps(a, sum)), chosen, indices + i);
    __m256 next = _mm256_setzero_ps();
    for (int r = 0; r < registers; ++r) {
      const __m256 error = _mm256_sub_ps(element, bounds.level[r]);
      next =
          _mm256_or_ps(next, _mm256_and_ps(chosen[r], _mm256_add_ps(sum, _mm256_mul_ps(u, error))));
    }
    sum = spread(next);
  }
}

/// Full: a sum for each element to come.
template <int registers>
void each_full(const FeedbackRows& feedback, const std::int32_t* y, int d, const float* levels,
               int count, std::uint8_t* indices) {
  const Bounds<registers> bounds(levels, count);
  alignas(64) float sums[kLongest] = {};
  for (int i = 0; i < d; ++i) {
    __m256 chosen[registers];
    const float element = static_cast<float>(y[i]);
    bounds.choose(_mm256_set1_ps(element + sums[i]), chosen, indices + i);
    const __m256 error = _mm256_set1_ps(element - levels[indices[i]]);
    const float* const column = feedback.columns + i * d;
    for (int k = (i + 1) / kEight * kEight; k < d; k += kEight)  // sums up to i are not read again
      _mm256_store_ps(sums + k, _mm256_add_ps(_mm256_load_ps(sums + k),
                                              _mm256_mul_ps(_mm256_loadu_ps(column + k), error)));
  }
}

#ifdef __AVX512F__
Floats to_floats(Integers v) { return _mm512_cvtepi32_ps(v); }
Floats broadcast(float v) { return _mm512_set1_ps(v); }
Floats load_floats(const float* from) { return _mm512_load_ps(from); }
/// Where x > bound, *value becomes `other` and *index one more.
void pass(Floats x, Floats bound, Floats other, Floats* value, Integers* index) {
  const __mmask16 beyond = _mm512_cmp_ps_mask(x, bound, _CMP_GT_OQ);
  *value = _mm512_mask_mov_ps(*value, beyond, other);
  *index = _mm512_mask_add_epi32(*index, beyond, *index, _mm512_set1_epi32(1));
}
#else
Floats to_floats(Integers v) { return _mm256_cvtepi32_ps(v); }
Floats broadcast(float v) { return _mm256_set1_ps(v); }
Floats load_floats(const float* from) { return _mm256_load_ps(from); }
void pass(Floats x, Floats bound, Floats other, Floats* value, Integers* index) {
  const Floats beyond = _mm256_cmp_ps(x, bound, _CMP_GT_OQ);
  *value = _mm256_blendv_ps(*value, other, beyond);
  *index = _mm256_sub_epi32(*index, _mm256_castps_si256(beyond));
}
#endif

/// Rank 1 for as many keys as lanes, a key in each: no key waits for its own choices.
template <int count>
void rank1_side_by_side(const FeedbackRows& feedback, const std::int32_t* y, int d,
                        const float* levels, std::uint8_t* indices) {
  constexpr int kBlock = 16;  // elements that are turned together
  alignas(64) float of_level[count][kLanes32];
  for (int key = 0; key < kLanes32; ++key)
    for (int j = 0; j < count; ++j) of_level[j][key] = levels[key * count + j];
  Floats level[count], bound[count];
  for (int j = 0; j < count; ++j) level[j] = load_floats(of_level[j]);
  for (int j = 0; j + 1 < count; ++j) bound[j] = (level[j] + level[j + 1]) * broadcast(0.5F);
  Floats sum = broadcast(0);
  for (int first = 0; first < d; first += kBlock) {
    alignas(64) std::int32_t elements[kBlock][kLanes32], chosen[kBlock][kLanes32];
    for (int key = 0; key < kLanes32; ++key)
      for (int i = 0; i < kBlock; ++i) elements[i][key] = y[key * d + first + i];
    for (int i = 0; i < kBlock; ++i) {
      const Floats element = to_floats(load(elements[i]));
      const Floats target = element + broadcast(feedback.a[first + i]) * sum;
      Floats value = level[0];
      Integers index = zeros();
      for (int j = 0; j + 1 < count; ++j) pass(target, bound[j], level[j + 1], &value, &index);
      store(chosen[i], index);
      sum = sum + broadcast(feedback.u[first + i]) * (element - value);
    }
    for (int key = 0; key < kLanes32; ++key)
      for (int i = 0; i < kBlock; ++i)
        indices[key * d + first + i] = static_cast<std::uint8_t>(chosen[i][key]);
  }
}

void encode_one(const FeedbackRows& feedback, const std::int32_t* y, int d, const float* levels,
                int index_bits, std::uint8_t* indices) {
  const bool full = feedback.columns != nullptr;
  const int count = 1 << index_bits;
  if (count == 16)
    return (full ? each_full<2> : each_rank1<2>)(feedback, y, d, levels, count, indices);
  (full ? each_full<1> : each_rank1<1>)(feedback, y, d, levels, count, indices);
}

}  // namespace

void encode_feedback(const FeedbackRows& feedback, const std::int32_t* y, std::size_t keys, int d,
                     const float* levels, int index_bits, std::uint8_t* indices) {
  const std::ptrdiff_t count = 1 << index_bits;
  if (feedback.columns == nullptr)
    for (; keys >= kLanes32; keys -= kLanes32) {
      const auto encode = index_bits == 2   ? rank1_side_by_side<4>
                          : index_bits == 3 ? rank1_side_by_side<8>
                                            : rank1_side_by_side<16>;
      encode(feedback, y, d, levels, indices);
      y += std::ptrdiff_t{kLanes32} * d;
      levels += kLanes32 * count;
      indices += std::ptrdiff_t{kLanes32} * d;
    }
  for (; keys > 0; --keys, y += d, levels += count, indices += d)
    encode_one(feedback, y, d, levels, index_bits, indices);
}

}  // namespace axelram::AXELRAM_LEVEL
