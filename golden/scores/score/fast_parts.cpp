#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "axelram/fast_scores.hpp"
#include "axelram/half.hpp"
#include "axelram/int128.hpp"
#include "axelram/record.hpp"
#include "query_dot.hpp"
#include "scores/score/arguments.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {
namespace {

// Limits of round_sums. A sum other than 0 is a multiple of 2^(exponent - 24) of the lower term,
// and terms below 2^53 times a power of two are below 2^(exponent + 6 + 53).
constexpr int kMinSumExponent = -102;
constexpr int kMaxSumExponent = 67;
constexpr double kDirectTerm = 0x1p53;
// Beyond +-400 every nonzero sum underflows or saturates.
constexpr int kMaxScale = 400;

int width_of(UInt128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// FP32 RNE of sum * 2^exponent, saturated.
float round_sum(Int128 sum, int exponent, bool* saturated) {
  constexpr double kMost = std::numeric_limits<float>::max();
  constexpr int kKept = 53;
  auto magnitude = static_cast<UInt128>(sum < 0 ? -sum : sum);
  // A last bit that is 1 wherever bits were dropped decides every later rounding and comparison as
  // they would have.
  const int dropped = std::max(0, width_of(magnitude) - kKept);
  const UInt128 odd = (magnitude & ((UInt128{1} << dropped) - 1)) != 0 ? 1 : 0;
  const auto kept = static_cast<double>(static_cast<std::uint64_t>(magnitude >> dropped | odd));
  const int scale = std::clamp(exponent + dropped, -kMaxScale, kMaxScale);
  const double value = kept * std::bit_cast<double>(static_cast<std::uint64_t>(scale + 1023) << 52);
  *saturated = value > kMost;
  const auto rounded = static_cast<float>(std::min(value, kMost));
  return sum < 0 ? -rounded : rounded;
}

struct Product {
  explicit Product(const ScoreTerm& term) {
    const NormValue norm = decode_norm(term.norm);
    value = Int128{term.acc} * norm.significand * term.factor;
    exponent = term.exponent + norm.exponent;
  }
  Int128 value;
  int exponent;
};

float sum_of(const ScoreTerm& first, const ScoreTerm& second, bool* saturated) {
  Product a(first), b(second);
  if (a.value == 0) a.exponent = b.exponent;  // a term of 0 has no say in the exponent
  if (b.value == 0) b.exponent = a.exponent;
  if (a.exponent < b.exponent) std::swap(a, b);
  return round_sum((a.value << (a.exponent - b.exponent)) + b.value, b.exponent, saturated);
}

/// One of the two parts of records: its query, and where its indices lie.
struct Part {
  Part(const ScorePart& part, SimdLevel level, std::size_t first_byte)
      : query(part),
        dot(level_units(level, part.d % kLevelGroup == 0), part.u, part.d, part.centroids,
            part.index_bits, part.states),
        offset(first_byte) {}

  /// True if each term is exact in binary64 and far from the ends of binary32.
  bool direct() const {
    double u = 0, most = 0;
    for (int i = 0; i < query.d; ++i) u += std::abs(query.u[i]);
    for (int j = 0; j < (query.states == 0 ? 1 : 2) << query.index_bits; ++j)
      most = std::max(most, std::abs(static_cast<double>(query.centroids[j])));
    constexpr double kMostSignificand = 2047;
    return dot.narrow() && u * most * kMostSignificand * query.factor < kDirectTerm &&
           query.exponent >= kMinSumExponent && query.exponent <= kMaxSumExponent;
  }

  /// Each part fetches a half of the next chunk.
  template <class Sum>
  void sums(const Records& records, Sum* acc) const {
    Records at = records;
    at.first += offset;
    const std::uint8_t* const next = records.first + records.count * records.stride;
    if (static_cast<std::size_t>(records.readable_end - next) >= kChunk * records.stride) {
      at.ahead_stride = records.stride / 2;
      at.ahead = next + (offset == 0 ? 0 : records.count * at.ahead_stride);
    }
    dot.sums(at, acc);
  }

  SumTerm term(const std::int32_t* acc) const {
    return {acc, query.exponent, static_cast<double>(query.factor)};
  }

  const ScorePart& query;
  QueryDot dot;
  std::size_t offset;
};

class PartScorer {
 public:
  PartScorer(const ScorePart& first, const ScorePart& second, SimdLevel level)
      : units_(level_units(level)),
        first_(first, level, 0),
        second_(second, level, static_cast<std::size_t>(first.d * first.index_bits / 8)),
        direct_(first_.direct() && second_.direct()) {}

  std::size_t chunk(const Records& records, float* scores, std::int64_t* first_acc,
                    std::int64_t* second_acc) const {
    return direct_ ? chunk_of<std::int32_t>(records, scores, first_acc, second_acc)
                   : chunk_of<std::int64_t>(records, scores, first_acc, second_acc);
  }

 private:
  static const std::uint8_t* norms(const Records& records) {
    return records.first + records.stride - 4;
  }

  /// Sum: 32 bits if terms are direct.
  template <class Sum>
  std::size_t chunk_of(const Records& records, float* scores, std::int64_t* first_acc,
                       std::int64_t* second_acc) const {
    Sum first[kChunk], second[kChunk];
    first_.sums(records, first);
    second_.sums(records, second);
    copy(first, records.count, first_acc);
    copy(second, records.count, second_acc);
    if constexpr (sizeof(Sum) == sizeof(std::int32_t)) {
      units_.round_sums({first_.term(first), second_.term(second), norms(records), records.stride,
                         records.count, scores});
      return 0;
    }
    return round_each(records, first, second, scores);
  }

  template <class Sum>
  static void copy(const Sum* sums, std::size_t count, std::int64_t* acc) {
    if (acc != nullptr) std::copy(sums, sums + count, acc);
  }

  template <class Sum>
  std::size_t round_each(const Records& records, const Sum* first, const Sum* second,
                         float* scores) const {
    const ScorePart &a = first_.query, &b = second_.query;
    const std::uint8_t* norm = norms(records);
    std::size_t saturations = 0;
    for (std::size_t k = 0; k < records.count; ++k, norm += records.stride) {
      const auto half = [norm](int at) {
        return static_cast<std::uint16_t>(norm[at] | norm[at + 1] << 8);
      };
      bool saturated = false;
      scores[k] = sum_of({first[k], half(0), a.factor, a.exponent},
                         {second[k], half(2), b.factor, b.exponent}, &saturated);
      saturations += saturated ? 1 : 0;
    }
    return saturations;
  }

  const LevelUnits& units_;
  Part first_, second_;
  bool direct_;
};

}  // namespace

float score_sum(const ScoreTerm& first, const ScoreTerm& second, bool* saturated) {
  const DefaultFloatEnvironment environment;
  return sum_of(first, second, saturated);
}

std::size_t score_parts(const ScorePart& first, const ScorePart& second,
                        const std::uint8_t* records, std::size_t count, float* scores,
                        std::int64_t* first_acc, std::int64_t* second_acc, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const PartScorer scorer(first, second, level);
  const RecordPart parts[2] = {{nullptr, first.d, first.index_bits, 0},
                               {nullptr, second.d, second.index_bits, 0}};
  const auto stride = static_cast<std::size_t>(record_bytes(parts[0], parts[1]));
  const std::uint8_t* const end = records + count * stride;
  const auto at = [](std::int64_t* acc, std::size_t k) { return acc == nullptr ? acc : acc + k; };
  std::size_t saturated = 0;
  for (std::size_t k = 0; k < count; k += kChunk) {
    const Records chunk{records + k * stride, stride, std::min(kChunk, count - k), end};
    saturated += scorer.chunk(chunk, scores + k, at(first_acc, k), at(second_acc, k));
  }
  return saturated;
}

}  // namespace axelram
