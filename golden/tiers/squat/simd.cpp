#include "simd/level_units.hpp"
#include "tiers/kivi/simd_steps.hpp"
#include "tiers/squat/arguments.hpp"

/// Feedback of the errors of a run of channels to those behind it (bit-contract.md#squat): sums of
/// products in FP64, in two parts that are exact.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kChunk = 32;     // tokens whose errors are held together
constexpr std::size_t kMostRun = 128;  // channels
#ifdef __AVX512F__
constexpr std::size_t kTokens = 4, kEights = 2;  // of a tile of sums
#else
constexpr std::size_t kTokens = 2, kEights = 1;
#endif

/// Errors of a run in multiples of 2^-24, below 2^39 in magnitude: upper * 2^19 + lower. Sums of
/// 128 products of either part with numbers of 16 bits stay below 2^42.
struct Errors {
  double upper[kChunk][kMostRun], lower[kChunk][kMostRun];
};

template <int bits>
void find_errors(const SquatFeedbackStep& of, std::size_t first_token, std::size_t tokens,
                 Errors* errors) {
  const std::uint8_t* const scales = of.run + of.channels * of.tokens * bits / 8;
  const std::uint8_t* const minima = scales + 2 * of.channels;
  for (std::size_t c = 0; c < of.channels; c += kEightLanes) {
    const Eight scale = eight_halfs(scales + 2 * c), minimum = eight_halfs(minima + 2 * c);
    const Eight inverse = where_not_zero(scale, divide(eight(1), scale));
    const std::uint16_t* x = of.current + first_token * of.d + of.first + c;
    for (std::size_t t = 0; t < tokens; ++t, x += of.d) {
      const Eight element = eight_halfs(x);
      const Eight code = from_integers(eight_codes<bits>(element, minimum, inverse));
      const Eight error =
          multiply(subtract(multiply_add(code, scale, minimum), element), eight(0x1p24));
      const Eight shift = eight(0x1.8p71);  // numbers about it are multiples of 2^19
      const Eight upper = subtract(add(error, shift), shift);
      store_eight(errors->upper[t] + c, multiply(upper, eight(0x1p-19)));
      store_eight(errors->lower[t] + c, subtract(error, upper));
    }
  }
}

struct Sum {
  Eight sum, rest;
  /// The sum and its rounding error.
  Sum(Eight a, Eight b) : sum(add(a, b)) {
    const Eight of_b = subtract(sum, a);
    rest = add(subtract(a, subtract(sum, of_b)), subtract(b, of_b));
  }
};

/// FP16 RNE of x + upper + lower, saturated, zero as +0, all exact.
inline Eight fed_back(Eight x, Eight upper, Eight lower) {
  const Sum parts(upper, lower), all(parts.sum, x);
  // Rests are multiples of 2^-44 below 2^-15: their sum is exact. Rounded to odd, the total meets
  // ties only where it is one.
  const Sum total(all.sum, add(parts.rest, all.rest));
  const Eight most = eight(65504);
  const Eight half = rounded_to_half(to_odd(total.sum, total.rest));
  return smaller(larger(half, eight(-65504)), most);
}

/// Sums of kTokens tokens and `eights` * 8 channels; weights: of each channel of the run, those of
/// kEights * 8 channels.
template <std::size_t eights>
void feed_tile(const SquatFeedbackStep& of, const Errors& errors, std::size_t t,
               const double* weights, double unit, std::uint16_t* to) {
  Eight upper[kTokens][eights], lower[kTokens][eights];
#pragma GCC unroll 4
  for (std::size_t k = 0; k < kTokens; ++k)
#pragma GCC unroll 2
    for (std::size_t i = 0; i < eights; ++i) upper[k][i] = lower[k][i] = eight(0);
  for (std::size_t j = 0; j < of.channels; ++j, weights += kEights * kEightLanes) {
#pragma GCC unroll 2
    for (std::size_t i = 0; i < eights; ++i) {
      const Eight weight = load_eight(weights + i * kEightLanes);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kTokens; ++k) {
        upper[k][i] = multiply_add(weight, eight(errors.upper[t + k][j]), upper[k][i]);
        lower[k][i] = multiply_add(weight, eight(errors.lower[t + k][j]), lower[k][i]);
      }
    }
  }
  for (std::size_t k = 0; k < kTokens; ++k)
    for (std::size_t i = 0; i < eights; ++i) {
      std::uint16_t* const x = to + k * of.d + i * kEightLanes;
      const Eight fed = fed_back(eight_halfs(x), multiply(upper[k][i], eight(unit * 0x1p19)),
                                 multiply(lower[k][i], eight(unit)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(x),
                       _mm256_cvtps_ph(narrowed(fed), _MM_FROUND_TO_NEAREST_INT));
    }
}

template <int bits>
void feed(const SquatFeedbackStep& of) {
  // 2^(exponent - 24)
  const std::int64_t field = std::int64_t{1023 + of.exponent - 24} << 52;
  double unit;
  __builtin_memcpy(&unit, &field, sizeof unit);
  const std::size_t behind = of.first + of.channels;
  for (std::size_t token = 0; token < of.tokens; token += kChunk) {
    const std::size_t tokens = of.tokens - token < kChunk ? of.tokens - token : kChunk;
    Errors errors;
    find_errors<bits>(of, token, tokens, &errors);
    for (std::size_t c = behind; c < of.d; c += kEights * kEightLanes) {
      const std::size_t wide = of.d - c < kEights * kEightLanes ? of.d - c : kEights * kEightLanes;
      alignas(64) double weights[kMostRun][kEights * kEightLanes];
      const std::int16_t* row = of.matrix + (c - behind) * of.channels;
      for (std::size_t i = 0; i < wide; ++i, row += of.channels)
        for (std::size_t j = 0; j < of.channels; ++j) weights[j][i] = row[j];
      for (std::size_t t = 0; t < tokens; t += kTokens) {
        std::uint16_t* const to = of.current + (token + t) * of.d + c;
        if (wide == kEights * kEightLanes)
          feed_tile<kEights>(of, errors, t, weights[0], unit, to);
        else
          feed_tile<1>(of, errors, t, weights[0], unit, to);
      }
    }
  }
}

}  // namespace

void feed_back_run(const SquatFeedbackStep& of) {
  if (of.bits == 2) return feed<2>(of);
  if (of.bits == 3) return feed<3>(of);
  feed<4>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
