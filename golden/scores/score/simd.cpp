#include "round_scores.hpp"
#include "simd/level_units.hpp"
#ifdef __AVX512F__
#include "dot_avx512.hpp"  // VNNI multiplies and adds bytes, VBMI looks centroids up
#include "planes_avx512.hpp"
#include "round_sums_avx512.hpp"
#include "scores/score/arguments.hpp"
#else
#include "dot_avx2.hpp"  // 16-bit products of bytes, lookups within halves of a register
#endif

/// Dot products of a query with packed records, kGroup keys at a time.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kLine = 64;             // bytes of a cache line
constexpr std::size_t kMaxRecordBytes = 260;  // of two parts of 256 4-bit indices

#ifdef __AVX512F__
template <int head_dim>
using BitDot = PlaneDot<head_dim>;
#else
template <int head_dim>
using BitDot = SignDot<head_dim>;
void round_all_sums(const SumRounding& rounding) { round_score_sums(rounding); }
#endif

template <int index_bits, int head_dim, int states, class Stride>
struct DotOf {
  using Type = Dot<index_bits, head_dim, states, Stride>;
};
template <int head_dim, class Stride>
struct DotOf<1, head_dim, 0, Stride> {
  using Type = BitDot<head_dim>;
};

template <class Unit, class Stride>
void dot_all(const DotQuery& query, const Records& records, Stride stride, std::int32_t* acc) {
  const Unit unit(query, stride);
  const std::uint8_t* from = records.first;
  for (std::size_t k = 0; k < records.count; k += kGroup, from += kGroup * stride) {
    const std::size_t count = records.count - k < kGroup ? records.count - k : kGroup;
    const std::uint8_t* group = from;
    std::uint8_t copy[kGroup * kMaxRecordBytes + 128];
    const auto readable = static_cast<std::size_t>(records.readable_end - from);
    if (readable < (kGroup - 1) * stride + Unit::kReach) {
      __builtin_memset(copy, 0, sizeof copy);
      __builtin_memcpy(copy, from, readable < count * stride ? readable : count * stride);
      group = copy;
    }
    for (std::size_t byte = 0; byte < kGroup * records.ahead_stride; byte += kLine)
      __builtin_prefetch(records.ahead + k * records.ahead_stride + byte);
    store_sums(acc + k, unit.group(group), count);
  }
}

template <int index_bits, int head_dim, int states>
void dot_shape(const DotQuery& query, const Records& records, std::int32_t* acc) {
  if constexpr (index_bits > 1) {
    using Plain = Fixed<head_dim * index_bits / 8 + 2>;
    using PlainDot = typename DotOf<index_bits, head_dim, states, Plain>::Type;
    if (records.stride == Plain()) return dot_all<PlainDot>(query, records, Plain(), acc);
  }
  using AnyDot = typename DotOf<index_bits, head_dim, states, std::size_t>::Type;
  dot_all<AnyDot>(query, records, records.stride, acc);
}

template <int index_bits, int states>
void dot_bits(const DotQuery& query, const Records& records, std::int32_t* acc) {
  switch (query.head_dim) {
    case 32:
      return dot_shape<index_bits, 32, states>(query, records, acc);
    case 64:
      return dot_shape<index_bits, 64, states>(query, records, acc);
    case 128:
      return dot_shape<index_bits, 128, states>(query, records, acc);
    default:
      return dot_shape<index_bits, 256, states>(query, records, acc);
  }
}

template <int index_bits>
void dot_trellis(const DotQuery& query, const Records& records, std::int32_t* acc) {
  if (query.states == 4) return dot_bits<index_bits, 4>(query, records, acc);
  if (query.states == 8) return dot_bits<index_bits, 8>(query, records, acc);
  dot_bits<index_bits, 16>(query, records, acc);
}

}  // namespace

void dot(const DotQuery& query, const Records& records, std::int32_t* acc) {
  if (query.states != 0) {
    if (query.index_bits == 1) return dot_trellis<1>(query, records, acc);
    if (query.index_bits == 2) return dot_trellis<2>(query, records, acc);
    if (query.index_bits == 3) return dot_trellis<3>(query, records, acc);
    return dot_trellis<4>(query, records, acc);
  }
  if (query.index_bits == 1) return dot_bits<1, 0>(query, records, acc);
  if (query.index_bits == 2) return dot_bits<2, 0>(query, records, acc);
  if (query.index_bits == 3) return dot_bits<3, 0>(query, records, acc);
  dot_bits<4, 0>(query, records, acc);
}

void round_direct(const std::int32_t* acc, const ScoreRounding& rounding) {
  round_scores_direct(acc, rounding);
}

std::size_t round_any(const std::int64_t* acc, const ScoreRounding& rounding) {
  return round_scores_any(acc, rounding);
}

void round_sums(const SumRounding& rounding) { round_all_sums(rounding); }

}  // namespace axelram::AXELRAM_LEVEL
