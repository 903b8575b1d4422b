#include "simd/eight.hpp"
#include "simd/level_units.hpp"
#include "tiers/nuq/arguments.hpp"

/// Codes of KVQuant rows (bit-contract.md#nuq), eight elements at a time.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kWidestRow = 256;
constexpr std::size_t kWordBits = 64;
constexpr double kTaken = -__builtin_inf();

struct Elements {
  alignas(64) double of[kWidestRow];
};

/// A set of channels.
struct Channels {
  std::uint64_t words[kWidestRow / kWordBits] = {};
  void add(std::size_t c) { words[c / kWordBits] |= std::uint64_t{1} << (c % kWordBits); }
};

bool finite(const std::uint16_t* x, std::size_t d) {
  const __m128i exponent = _mm_set1_epi16(0x7C00);
  __m128i infinite = _mm_setzero_si128();
  for (std::size_t c = 0; c < d; c += kEightLanes)
    infinite = _mm_or_si128(
        infinite, _mm_cmpeq_epi16(_mm_and_si128(load_eight_halfs(x + c), exponent), exponent));
  return _mm_movemask_epi8(infinite) == 0;
}

double largest_of(const Elements& ranks, std::size_t d) {
  Eight most = load_eight(ranks.of);
  for (std::size_t c = kEightLanes; c < d; c += kEightLanes)
    most = larger(most, load_eight(ranks.of + c));
  return largest(most);
}

/// Takes the largest of ranks, of equal ones that of the lowest channel, out of both.
void take_largest(std::size_t d, Elements* ranks, Elements* others, Channels* channels) {
  const Eight most = eight(largest_of(*ranks, d));
  std::size_t c = 0;
  unsigned lanes = 0;
  while ((lanes = equal(load_eight(ranks->of + c), most)) == 0) c += kEightLanes;
  c += static_cast<std::size_t>(__builtin_ctz(lanes));
  ranks->of[c] = others->of[c] = kTaken;
  channels->add(c);
}

/// (x - middle) / radius of eight elements, +0 where the radius is 0 or the element is the middle.
Eight normalized(Eight x, Eight middle, Eight radius) {
  return where_not_zero(radius, add(divide(subtract(x, middle), radius), eight(0)));
}

template <int bits>
void store_indices(const NuqEncoding& of, const Elements& y) {
  std::uint8_t* to = of.row;
  for (std::size_t c = 0; c < of.d; c += kEightLanes, to += bits) {
    const Eight elements = load_eight(y.of + c);
    __m256i indices = _mm256_setzero_si256();
    for (int j = 0; j < (1 << bits) - 1; ++j)
      indices = count_less(indices, eight(of.boundaries[j]), elements);
    store_eight_codes<bits>(indices, to);
  }
}

void store_outliers(const NuqEncoding& of, const Channels& channels, std::uint8_t* to) {
  std::uint8_t* elements = to + of.outliers;
  for (std::size_t w = 0; w < kWidestRow / kWordBits; ++w)
    for (std::uint64_t left = channels.words[w]; left != 0; left &= left - 1, elements += 2) {
      const std::size_t c = w * kWordBits + static_cast<std::size_t>(__builtin_ctzll(left));
      *to++ = static_cast<std::uint8_t>(c);
      __builtin_memcpy(elements, of.x + c, 2);
    }
}

/// FP16 of a number that is one, a zero as +0.
void store_half(double v, std::uint8_t* to) {
  const __m128 floats = _mm_set_ss(static_cast<float>(v + 0.0));
  const int half = _mm_cvtsi128_si32(_mm_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
  __builtin_memcpy(to, &half, 2);
}

/// y of the row.
void key(const NuqEncoding& of, Elements* y, Channels* channels) {
  const Eight magnitude = eight(-0.0);
  Elements ranks;
  for (std::size_t c = 0; c < of.d; c += kEightLanes) {
    const Eight elements =
        normalized(eight_halfs(of.x + c), eight_halfs(of.middles + c), eight_halfs(of.radii + c));
    store_eight(y->of + c, elements);
    store_eight(ranks.of + c, without(elements, magnitude));
  }
  for (std::size_t i = 0; i < of.outliers; ++i) take_largest(of.d, &ranks, &ranks, channels);
}

/// y of the row; extremes of what is no outlier go behind the indices.
void value(const NuqEncoding& of, Elements* y, Channels* channels, std::uint8_t* extremes) {
  Elements plus, minus;
  for (std::size_t c = 0; c < of.d; c += kEightLanes) {
    const Eight elements = eight_halfs(of.x + c);
    store_eight(plus.of + c, elements);
    store_eight(minus.of + c, subtract(eight(0), elements));
  }
  for (std::size_t i = 0; i < of.outliers / 2; ++i) take_largest(of.d, &minus, &plus, channels);
  for (std::size_t i = 0; i < of.outliers / 2; ++i) take_largest(of.d, &plus, &minus, channels);
  const double least = -largest_of(minus, of.d), largest = largest_of(plus, of.d);
  store_half(least, extremes);
  store_half(largest, extremes + 2);
  const Eight middle = eight((largest + least) / 2), radius = eight((largest - least) / 2);
  for (std::size_t c = 0; c < of.d; c += kEightLanes)
    store_eight(y->of + c, normalized(eight_halfs(of.x + c), middle, radius));
}

}  // namespace

bool encode_nuq(const NuqEncoding& of) {
  if (!finite(of.x, of.d)) return false;
  Elements y;
  Channels channels;
  std::uint8_t extremes[4];
  std::uint8_t* behind = of.row + of.d * static_cast<std::size_t>(of.bits) / 8;
  const bool is_key = of.middles != nullptr;
  if (is_key)
    key(of, &y, &channels);
  else
    value(of, &y, &channels, extremes);
  // The last indices may write behind them.
  if (of.bits == 2)
    store_indices<2>(of, y);
  else if (of.bits == 3)
    store_indices<3>(of, y);
  else
    store_indices<4>(of, y);
  if (!is_key) {
    __builtin_memcpy(behind, extremes, sizeof extremes);
    behind += sizeof extremes;
  }
  store_outliers(of, channels, behind);
  return true;
}

}  // namespace axelram::AXELRAM_LEVEL
