#include "axelram/trellis.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Search through a trellis: branches of many elements at a time, then the paths of all states in
/// one register or two, an element after the other.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr int kMaxDim = 512;
constexpr int kSubsets = 4;
constexpr int kLimit = 4095;
constexpr std::uint32_t kUnreached = 0x80000000U;  // no path of few elements costs as much

#ifdef __AVX512F__
Integers abs32(Integers v) { return _mm512_abs_epi32(v); }
Integers min32(Integers a, Integers b) { return _mm512_min_epi32(a, b); }
Integers shift_right32(Integers v, int bits) {
  return _mm512_srl_epi32(v, _mm_cvtsi32_si128(bits));
}
Integers or32(Integers a, Integers b) { return _mm512_or_si512(a, b); }
/// `value` where a < b, otherwise `other`.
Integers where_less(Integers a, Integers b, Integers value, Integers other) {
  return _mm512_mask_mov_epi32(other, _mm512_cmplt_epi32_mask(a, b), value);
}
Integers low32(Integers a, Integers b) { return _mm512_unpacklo_epi32(a, b); }
Integers high32(Integers a, Integers b) { return _mm512_unpackhi_epi32(a, b); }
Integers low64(Integers a, Integers b) { return _mm512_unpacklo_epi64(a, b); }
Integers high64(Integers a, Integers b) { return _mm512_unpackhi_epi64(a, b); }
#else
Integers abs32(Integers v) { return _mm256_abs_epi32(v); }
Integers min32(Integers a, Integers b) { return _mm256_min_epi32(a, b); }
Integers shift_right32(Integers v, int bits) {
  return _mm256_srl_epi32(v, _mm_cvtsi32_si128(bits));
}
Integers or32(Integers a, Integers b) { return _mm256_or_si256(a, b); }
Integers where_less(Integers a, Integers b, Integers value, Integers other) {
  return _mm256_blendv_epi8(other, value, _mm256_cmpgt_epi32(b, a));
}
Integers low32(Integers a, Integers b) { return _mm256_unpacklo_epi32(a, b); }
Integers high32(Integers a, Integers b) { return _mm256_unpackhi_epi32(a, b); }
Integers low64(Integers a, Integers b) { return _mm256_unpacklo_epi64(a, b); }
Integers high64(Integers a, Integers b) { return _mm256_unpackhi_epi64(a, b); }
#endif

constexpr int kQuads = kLanes32 / 4;  // 128-bit lanes of a register

/// The four branches of each element: their costs, in the order of a transposition, and the upper
/// bits of their indices, a byte each.
struct Branches {
  alignas(64) std::uint32_t costs[kMaxDim][kSubsets];
  alignas(64) std::uint32_t mus[kMaxDim];

  const std::uint32_t* costs_of(int element) const {
    const int block = element / kLanes32 * kLanes32, at = element % kLanes32;
    return costs[block + at % 4 * kQuads + at / 4];
  }
};

void find_branches(const std::int32_t* y, int d, const std::int32_t* reconstructions, int in_subset,
                   int shift, Branches* branches) {
  const Integers half = broadcast32((1 << shift) >> 1);
  const Integers limit = broadcast32(kLimit);
  for (int i = 0; i < d; i += kLanes32) {
    const Integers element = load(y + i);
    Integers cost[kSubsets];
    Integers mus = zeros();
    for (int k = kSubsets - 1; k >= 0; --k) {
      Integers least = abs32(sub32(element, broadcast32(reconstructions[k])));
      Integers mu = zeros();
      for (int m = 1; m < in_subset; ++m) {
        const Integers distance =
            abs32(sub32(element, broadcast32(reconstructions[kSubsets * m + k])));
        mu = where_less(distance, least, broadcast32(m), mu);
        least = min32(distance, least);
      }
      const Integers delta = min32(shift_right32(add32(least, half), shift), limit);
      cost[k] = pair_sums32(delta, delta);
      mus = or32(shift_left32<8>(mus), mu);
    }
    store(branches->mus + i, mus);
    const Integers low01 = low32(cost[0], cost[1]), high01 = high32(cost[0], cost[1]);
    const Integers low23 = low32(cost[2], cost[3]), high23 = high32(cost[2], cost[3]);
    store(branches->costs[i], low64(low01, low23));
    store(branches->costs[i + kQuads], high64(low01, low23));
    store(branches->costs[i + 2 * kQuads], low64(high01, high23));
    store(branches->costs[i + 3 * kQuads], high64(high01, high23));
  }
}

/// For 8 states from `first`: lanes of the predecessors, and subsets of the branches from them.
template <int states>
struct Steps {
  static constexpr int kRegisters8 = states == 16 ? 2 : 1;

  constexpr Steps() {
    for (int s = 0; s < 8 * kRegisters8; ++s) {
      const auto state = static_cast<unsigned>(s % states);
      const unsigned lower = state / 2, upper = state / 2 + states / 2;
      lower_lane[s] = static_cast<int>(lower % 8);
      upper_lane[s] = static_cast<int>(upper % 8);
      lower_subset[s] = trellis_subset(states, lower, state % 2);
      upper_subset[s] = trellis_subset(states, upper, state % 2);
    }
  }

  alignas(32) int lower_lane[8 * kRegisters8] = {};
  alignas(32) int upper_lane[8 * kRegisters8] = {};
  alignas(32) int lower_subset[8 * kRegisters8] = {};
  alignas(32) int upper_subset[8 * kRegisters8] = {};
};

__m256i load256(const void* from) { return _mm256_load_si256(static_cast<const __m256i*>(from)); }

__m256i lanes(__m256i values, const int* order) {
  return _mm256_permutevar8x32_epi32(values, load256(order));
}

/// Costs of four subsets in both halves of a register.
__m256i costs_of(__m256i branch, const int* subsets) {
  return _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(branch), load256(subsets)));
}

template <int states>
std::uint32_t search(const Branches& branches, int d, std::uint8_t* indices) {
  static constexpr Steps<states> kSteps{};
  constexpr int kRegisters8 = Steps<states>::kRegisters8;
  alignas(32) std::uint32_t cost[8 * kRegisters8];
  for (std::uint32_t& one : cost) one = kUnreached;
  cost[0] = 0;
  __m256i paths[kRegisters8];
  for (int r = 0; r < kRegisters8; ++r) paths[r] = load256(cost + 8 * r);

  std::uint16_t from_lower[kMaxDim];  // a bit for each state
  for (int i = 0; i < d; ++i) {
    const __m256i branch = _mm256_broadcastsi128_si256(
        _mm_load_si128(reinterpret_cast<const __m128i*>(branches.costs_of(i))));
    __m256i next[kRegisters8];
    unsigned bits = 0;
    for (int r = 0; r < kRegisters8; ++r) {
      const int first = 8 * r;
      // With 16 states the lower predecessors are the first 8, the upper ones the others.
      const __m256i lower = _mm256_add_epi32(lanes(paths[0], kSteps.lower_lane + first),
                                             costs_of(branch, kSteps.lower_subset + first));
      const __m256i upper =
          _mm256_add_epi32(lanes(paths[kRegisters8 - 1], kSteps.upper_lane + first),
                           costs_of(branch, kSteps.upper_subset + first));
      next[r] = _mm256_min_epu32(lower, upper);
      const __m256i is_lower = _mm256_cmpeq_epi32(next[r], lower);  // a tie: the lower one
      bits |= static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_lower))) << first;
    }
    for (int r = 0; r < kRegisters8; ++r) paths[r] = next[r];
    from_lower[i] = static_cast<std::uint16_t>(bits);
  }

  for (int r = 0; r < kRegisters8; ++r)
    _mm256_store_si256(reinterpret_cast<__m256i*>(cost + 8 * r), paths[r]);
  unsigned state = 0;
  for (unsigned s = 1; s < states; ++s)
    if (cost[s] < cost[state]) state = s;
  const std::uint32_t best = cost[state];
  for (int i = d - 1; i >= 0; --i) {
    const bool lower = (from_lower[i] >> state & 1U) != 0;
    const int subset = lower ? kSteps.lower_subset[state] : kSteps.upper_subset[state];
    const std::uint32_t mu = branches.mus[i] >> (8 * subset) & 0xFFU;
    indices[i] = static_cast<std::uint8_t>(2 * mu + (state & 1U));
    state = state / 2 + (lower ? 0U : states / 2U);
  }
  return best;
}

}  // namespace

std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                             int index_bits, std::uint32_t root, int states,
                             std::uint8_t* indices) {
  const int width = root == 0 ? 0 : 32 - __builtin_clz(root);
  Branches branches;
  find_branches(y, d, reconstructions, 1 << (index_bits - 1), width > 10 ? width - 10 : 0,
                &branches);
  if (states == 4) return search<4>(branches, d, indices);
  if (states == 8) return search<8>(branches, d, indices);
  return search<16>(branches, d, indices);
}

}  // namespace axelram::AXELRAM_LEVEL
