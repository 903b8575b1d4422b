#include "axelram/trellis.hpp"
#include "keys/feedback/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Encoder with feedback and a trellis. The states are in the lanes of a register or two: both sets
/// of instructions have registers of eight floats.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr int kStates8 = 8;
constexpr int kLongestPath = 512;
constexpr float kNotReached = __builtin_inff();

__m256 in_order(__m256 v, __m256i order) { return _mm256_permutevar8x32_ps(v, order); }

/// Subsets of the branches, and predecessors of the states. Lanes beyond the last state repeat it.
template <int states>
struct FedSteps {
  static constexpr int kRegisters8 = states == 16 ? 2 : 1;

  constexpr FedSteps() {
    for (int s = 0; s < kStates8 * kRegisters8; ++s)
      for (unsigned x = 0; x < 2; ++x)
        subset[x][s] = trellis_subset(states, static_cast<unsigned>(s % states), x);
    for (int to = 0; to < kStates8 * kRegisters8; ++to) {
      lower[to] = to % states / 2 % kStates8;
      upper[to] = (to % states / 2 + states / 2) % kStates8;
    }
  }

  alignas(32) int subset[2][kStates8 * kRegisters8] = {};
  alignas(32) int lower[kStates8 * kRegisters8] = {};  ///< lanes of the predecessors
  alignas(32) int upper[kStates8 * kRegisters8] = {};
};

__m256i order_of(const int* lanes) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes));
}

/// Branches to the states of a register. by_x: branches with x = 0 and x = 1; lanes: predecessors.
__m256 branch_to(const __m256* by_x, __m256i lanes) {
  return _mm256_blend_ps(in_order(by_x[0], lanes), in_order(by_x[1], lanes), 0xAA);
}

template <int states, int in_subset, bool full>
void path(const FeedbackRows& feedback, const std::int32_t* y, int d, const float* levels,
          std::uint8_t* indices) {
  static constexpr FedSteps<states> kSteps{};
  constexpr int kRegisters8 = FedSteps<states>::kRegisters8;
  constexpr int kSubsets = 4;
  const __m256 sign = _mm256_set1_ps(-0.0F);
  __m256 of_subset[kRegisters8][2][in_subset];
  for (int r = 0; r < kRegisters8; ++r)
    for (int x = 0; x < 2; ++x)
      for (int m = 0; m < in_subset; ++m)
        of_subset[r][x][m] = _mm256_permutevar_ps(
            _mm256_broadcast_ps(reinterpret_cast<const __m128*>(levels + kSubsets * m)),
            order_of(kSteps.subset[x] + kStates8 * r));

  alignas(32) float first_cost[kStates8 * kRegisters8];
  for (float& one : first_cost) one = kNotReached;
  first_cost[0] = 0;
  __m256 cost[kRegisters8], sum[kRegisters8];  // sum: A, or that of element i
  for (int r = 0; r < kRegisters8; ++r) {
    cost[r] = _mm256_load_ps(first_cost + kStates8 * r);
    sum[r] = _mm256_setzero_ps();
  }
  alignas(32) float sums[full ? kLongestPath : 1][kStates8 * kRegisters8];
  if (full)
    for (int k = 0; k < d; ++k)
      for (int r = 0; r < kRegisters8; ++r)
        _mm256_store_ps(sums[k] + kStates8 * r, _mm256_setzero_ps());

  std::uint16_t from_upper[kLongestPath];  // a bit for each state
  alignas(32) std::int32_t mus[kLongestPath][2][kStates8 * kRegisters8];
  for (int i = 0; i < d; ++i) {
    const __m256 element = _mm256_set1_ps(static_cast<float>(y[i]));
    const __m256 weight = _mm256_set1_ps(feedback.weights[i]);
    const __m256 u = full ? sign : _mm256_set1_ps(feedback.u[i]);
    __m256 costs[kRegisters8][2], errors[kRegisters8][2];
    for (int r = 0; r < kRegisters8; ++r) {
      if (full) sum[r] = _mm256_load_ps(sums[full ? i : 0] + kStates8 * r);
      const __m256 fed = full ? sum[r] : _mm256_mul_ps(_mm256_set1_ps(feedback.a[i]), sum[r]);
      const __m256 target = _mm256_add_ps(element, fed);
      for (int x = 0; x < 2; ++x) {
        __m256 level = of_subset[r][x][0], mu = _mm256_setzero_ps();
        __m256 least = _mm256_andnot_ps(sign, _mm256_sub_ps(target, level));
        for (int m = 1; m < in_subset; ++m) {
          const __m256 other = of_subset[r][x][m];
          const __m256 distance = _mm256_andnot_ps(sign, _mm256_sub_ps(target, other));
          const __m256 nearer = _mm256_cmp_ps(distance, least, _CMP_LT_OQ);
          least = _mm256_min_ps(distance, least);
          level = _mm256_blendv_ps(level, other, nearer);
          mu = _mm256_blendv_ps(mu, _mm256_castsi256_ps(_mm256_set1_epi32(m)), nearer);
        }
        _mm256_store_si256(reinterpret_cast<__m256i*>(mus[i][x] + kStates8 * r),
                           _mm256_castps_si256(mu));
        costs[r][x] = _mm256_add_ps(cost[r], _mm256_mul_ps(weight, _mm256_mul_ps(least, least)));
        errors[r][x] = _mm256_sub_ps(element, level);
        if (!full) errors[r][x] = _mm256_add_ps(sum[r], _mm256_mul_ps(u, errors[r][x]));  // next A
      }
    }
    unsigned bits = 0;
    __m256i from[kRegisters8];
    for (int r = 0; r < kRegisters8; ++r) {
      const __m256i lower = order_of(kSteps.lower + kStates8 * r),
                    upper = order_of(kSteps.upper + kStates8 * r);
      const __m256 low = branch_to(costs[0], lower),
                   high = branch_to(costs[kRegisters8 - 1], upper);
      const __m256 higher = _mm256_cmp_ps(high, low, _CMP_LT_OQ);  // a tie: the lower one
      cost[r] = _mm256_min_ps(high, low);
      sum[r] = _mm256_blendv_ps(branch_to(errors[0], lower),
                                branch_to(errors[kRegisters8 - 1], upper), higher);
      from[r] = _mm256_castps_si256(
          _mm256_blendv_ps(_mm256_castsi256_ps(lower), _mm256_castsi256_ps(upper), higher));
      if (full && kRegisters8 == 2)
        from[r] = _mm256_or_si256(
            from[r], _mm256_slli_epi32(_mm256_srli_epi32(_mm256_castps_si256(higher), 31), 3));
      bits |= static_cast<unsigned>(_mm256_movemask_ps(higher)) << (kStates8 * r);
    }
    from_upper[i] = static_cast<std::uint16_t>(bits);
    if (!full) continue;
    // sum is the error of element i in each path.
    for (int k = i + 1; k < d; ++k) {
      const __m256 g = _mm256_set1_ps(feedback.columns[i * d + k]);
      float* const row = sums[full ? k : 0];
      __m256 old[kRegisters8], next[kRegisters8];
      for (int r = 0; r < kRegisters8; ++r) old[r] = _mm256_load_ps(row + kStates8 * r);
      for (int r = 0; r < kRegisters8; ++r) {
        next[r] = in_order(old[0], from[r]);
        if (kRegisters8 == 2)
          next[r] = _mm256_blendv_ps(next[r], in_order(old[kRegisters8 - 1], from[r]),
                                     _mm256_castsi256_ps(_mm256_slli_epi32(from[r], 28)));
      }
      for (int r = 0; r < kRegisters8; ++r)
        _mm256_store_ps(row + kStates8 * r, _mm256_add_ps(next[r], _mm256_mul_ps(g, sum[r])));
    }
  }

  alignas(32) float last[kStates8 * kRegisters8];
  for (int r = 0; r < kRegisters8; ++r) _mm256_store_ps(last + kStates8 * r, cost[r]);
  unsigned state = 0;
  for (unsigned s = 1; s < states; ++s)
    if (last[s] < last[state]) state = s;
  for (int i = d - 1; i >= 0; --i) {
    const unsigned x = state & 1U;
    const unsigned predecessor =
        state / 2 + ((from_upper[i] >> state & 1U) != 0 ? states / 2U : 0U);
    indices[i] = static_cast<std::uint8_t>(2 * mus[i][x][predecessor] + static_cast<int>(x));
    state = predecessor;
  }
}

template <int states, int in_subset>
void path_with(const FeedbackRows& feedback, const std::int32_t* y, int d, const float* levels,
               std::uint8_t* indices) {
  if (feedback.columns != nullptr)
    path<states, in_subset, true>(feedback, y, d, levels, indices);
  else
    path<states, in_subset, false>(feedback, y, d, levels, indices);
}

template <int states>
void path_of(const FeedbackRows& feedback, const std::int32_t* y, int d, const float* levels,
             int index_bits, std::uint8_t* indices) {
  if (index_bits == 2) return path_with<states, 2>(feedback, y, d, levels, indices);
  if (index_bits == 3) return path_with<states, 4>(feedback, y, d, levels, indices);
  path_with<states, 8>(feedback, y, d, levels, indices);
}

}  // namespace

void encode_feedback_path(const FeedbackRows& feedback, const std::int32_t* y, std::size_t keys,
                          int d, const float* levels, int index_bits, int states,
                          std::uint8_t* indices) {
  const auto encode = states == 4 ? path_of<4> : states == 8 ? path_of<8> : path_of<16>;
  for (; keys > 0; --keys, y += d, levels += std::ptrdiff_t{2} << index_bits, indices += d)
    encode(feedback, y, d, levels, index_bits, indices);
}

}  // namespace axelram::AXELRAM_LEVEL
