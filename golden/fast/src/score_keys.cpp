#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "axelram/fast.hpp"
#include "axelram/record.hpp"
#include "float_environment.hpp"
#include "level_units.hpp"

namespace axelram {
namespace {

constexpr int kMaxDim = 256;
constexpr int kMaxLevels = 32;
constexpr std::size_t kChunk = 256;  // keys whose sums wait in the first-level cache for rounding

// Limits of round_direct: below, products could underflow to zero; above, pass FLT_MAX.
constexpr int kMinDirectExponent = -125;
constexpr int kMaxDirectExponent = 86;
// Beyond +-400 every nonzero score underflows or saturates, as it does at +-400.
constexpr int kExponentLimit = 400;

/// Words as sums of digit * 255^p, |digit| <= 127, so that words of any legal width pass through
/// the 8-bit multipliers, one pair of digits at a time. 8-bit words are one digit.
template <int size>
struct Digits {
  static constexpr int kRadix = 255;
  static constexpr int kMaxPlaces = 3;  // 127 * (1 + 255 + 255^2) > 2^15

  Digits(const std::int32_t* words, int count) {
    const bool one_digit = std::all_of(words, words + count, [](std::int32_t word) {
      return word >= -(kRadix / 2) && word <= kRadix / 2;
    });
    for (int i = 0; i < count; ++i) {
      if (one_digit) {
        digits[0][i] = static_cast<std::int8_t>(words[i]);
      } else {
        split(words[i], i);
      }
    }
  }

  void split(std::int32_t word, int i) {
    for (int place = 0; place < kMaxPlaces && word != 0; ++place) {
      std::int32_t digit = word % kRadix;
      if (digit > kRadix / 2) digit -= kRadix;
      if (digit < -(kRadix / 2)) digit += kRadix;
      digits[place][i] = static_cast<std::int8_t>(digit);
      word = (word - digit) / kRadix;
      places = std::max(places, place + 1);
    }
  }

  std::int8_t digits[kMaxPlaces][size] = {};
  int places = 1;
};

struct Scorer {
  Scorer(const ScoreQuery& score_query, SimdLevel level)
      : query(score_query),
        units(level_units(level)),
        exponent(std::clamp(query.exponent, -kExponentLimit, kExponentLimit)),
        u(query.u, query.head_dim),
        centroids(query.centroids, (query.states == 0 ? 1 : 2) << query.index_bits),
        narrow(u.places == 1 && centroids.places == 1) {}

  DotQuery dot_query(int u_place, int centroid_place) const {
    return {u.digits[u_place], centroids.digits[centroid_place], query.head_dim, query.index_bits,
            query.states};
  }

  std::size_t chunk(const Records& records, float* scores, std::int64_t* acc) const;
  void accumulate(const Records& records, std::int64_t* acc) const;

  const ScoreQuery& query;
  const LevelUnits& units;
  int exponent;
  Digits<kMaxDim> u;
  Digits<kMaxLevels> centroids;
  bool narrow;  ///< one digit each: sums below 2^24
};

void Scorer::accumulate(const Records& records, std::int64_t* acc) const {
  std::int32_t part[kChunk];
  std::fill(acc, acc + records.count, std::int64_t{0});
  std::int64_t u_weight = 1;
  for (int i = 0; i < u.places; ++i, u_weight *= u.kRadix) {
    std::int64_t weight = u_weight;
    for (int j = 0; j < centroids.places; ++j, weight *= centroids.kRadix) {
      units.dot(dot_query(i, j), records, part);
      for (std::size_t k = 0; k < records.count; ++k) acc[k] += weight * part[k];
    }
  }
}

/// Gathered after the sums: by then the records lie in the first-level cache, and the wide loads of
/// the sums are what waited for memory.
void gather_norms(const Records& records, std::uint16_t* norms) {
  const std::uint8_t* norm = records.first + records.stride - 2;
  for (std::size_t k = 0; k < records.count; ++k, norm += records.stride)
    norms[k] = static_cast<std::uint16_t>(norm[0] | norm[1] << 8);
}

std::size_t Scorer::chunk(const Records& records, float* scores, std::int64_t* acc) const {
  std::uint16_t norms[kChunk];
  const ScoreRounding rounding{norms, records.count, exponent, scores};
  std::int64_t wide[kChunk];
  if (narrow) {
    std::int32_t sums[kChunk];
    units.dot(dot_query(0, 0), records, sums);
    if (exponent >= kMinDirectExponent && exponent <= kMaxDirectExponent) {
      gather_norms(records, norms);
      units.round_direct(sums, rounding);
      if (acc != nullptr) std::copy(sums, sums + records.count, acc);
      return 0;
    }
    std::copy(sums, sums + records.count, wide);
  } else {
    accumulate(records, wide);
  }
  if (acc != nullptr) std::copy(wide, wide + records.count, acc);
  gather_norms(records, norms);
  return units.round_any(wide, rounding);
}

}  // namespace

std::size_t score_keys(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                       float* scores, std::int64_t* acc, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const Scorer scorer(query, level);
  const auto stride = static_cast<std::size_t>(record_bytes(query.head_dim, query.index_bits));
  const std::uint8_t* end = records + count * stride;
  std::size_t saturated = 0;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const Records chunk{records + first * stride, stride, std::min(kChunk, count - first), end};
    saturated += scorer.chunk(chunk, scores + first, acc == nullptr ? nullptr : acc + first);
  }
  return saturated;
}

}  // namespace axelram
