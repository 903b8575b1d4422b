#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram {

/// Words as sums of digit * 255^p, |digit| <= 127, so that words of any legal width pass through
/// the 8-bit multipliers, one pair of digits at a time. 8-bit words are one digit.
template <int size>
struct Digits {
  static constexpr int kRadix = 255;
  static constexpr int kMaxPlaces = 3;  // 127 * (1 + 255 + 255^2) > 2^15

  Digits(const std::int32_t* words, int count) {
    constexpr std::int32_t kMost = kRadix / 2;
    std::int32_t beyond = 0;  // negative if a word has more than one digit
    for (int i = 0; i < count; ++i) beyond |= (words[i] + kMost) | (kMost - words[i]);
    if (beyond >= 0) {
      std::fill(digits[0], digits[0] + size, std::int8_t{0});
      for (int i = 0; i < count; ++i) digits[0][i] = static_cast<std::int8_t>(words[i]);
    } else {
      for (auto& place : digits) std::fill(place, place + size, std::int8_t{0});
      for (int i = 0; i < count; ++i) split(words[i], i);
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

  std::int8_t digits[kMaxPlaces][size];  ///< of `places` places; zeros beyond the words
  int places = 1;
};

/// Records whose sums wait in the first-level cache for rounding.
constexpr std::size_t kChunk = 256;

/// A query, or the half of one, that is multiplied with the indices of records.
class QueryDot {
 public:
  /// u: d words; centroids: 2^index_bits words, of a trellis twice as many. Neither is copied
  /// beyond its digits.
  QueryDot(const LevelUnits& units, const std::int32_t* u, int d, const std::int32_t* centroids,
           int index_bits, int states)
      : units_(units),
        d_(d),
        index_bits_(index_bits),
        states_(states),
        u_(u, d),
        centroids_(centroids, (states == 0 ? 1 : 2) << index_bits) {}

  /// One digit each: sums below 2^24.
  bool narrow() const { return u_.places == 1 && centroids_.places == 1; }

  /// Sums of at most kChunk records, if narrow.
  void sums(const Records& records, std::int32_t* acc) const {
    units_.dot(dot_query(0, 0), records, acc);
  }

  void sums(const Records& records, std::int64_t* acc) const {
    std::int32_t part[kChunk];
    std::fill(acc, acc + records.count, std::int64_t{0});
    std::int64_t u_weight = 1;
    for (int i = 0; i < u_.places; ++i, u_weight *= u_.kRadix) {
      std::int64_t weight = u_weight;
      for (int j = 0; j < centroids_.places; ++j, weight *= centroids_.kRadix) {
        units_.dot(dot_query(i, j), records, part);
        for (std::size_t k = 0; k < records.count; ++k) acc[k] += weight * part[k];
      }
    }
  }

 private:
  static constexpr int kMaxDim = 256;
  static constexpr int kMaxLevels = 32;

  DotQuery dot_query(int u_place, int centroid_place) const {
    return {u_.digits[u_place], centroids_.digits[centroid_place], d_, index_bits_, states_};
  }

  const LevelUnits& units_;
  int d_, index_bits_, states_;
  Digits<kMaxDim> u_;
  Digits<kMaxLevels> centroids_;
};

}  // namespace axelram
