#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "axelram/fast_kivi.hpp"
#include "axelram/fast_squat.hpp"
#include "axelram/half.hpp"
#include "axelram/rounding.hpp"
#include "axelram/tier_row.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"
#include "tiers/kivi/codes.hpp"
#include "tiers/squat/arguments.hpp"

namespace axelram {
namespace {

constexpr std::size_t kMostRun = 128;  // channels of a run of a level

/// Multiples of 2^-24, exact in every rounding and denormal mode.
std::int64_t units_of(std::uint16_t half) {
  return static_cast<std::int64_t>(widened(half) * 0x1p24F);
}

/// feed_back_ref behind its sum, a multiple of 2^(exponent - 24) below 2^62.
std::uint16_t half_of_sum(std::int64_t sum, int exponent) {
  constexpr int kSignificand = 11;
  const std::int64_t magnitude = sum < 0 ? -sum : sum;
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude)));
  // The unit of the result over 2^-24: more than one where the significand would not fit.
  const int binade = std::max(exponent + width - kSignificand, 0);
  const std::int64_t rounded = shift_right_rne(magnitude, binade - exponent);
  const std::int64_t code =
      std::min<std::int64_t>(kHalfMax, (std::int64_t{binade} << (kSignificand - 1)) + rounded);
  return static_cast<std::uint16_t>(sum < 0 && code != 0 ? code | 0x8000 : code);
}

/// A run of channels as a block of its own, and its errors.
class Run {
 public:
  Run(const KiviLayout& keys, std::size_t channels, SimdLevel level)
      : keys_(keys), layout_(keys), level_(level), errors_(keys.size * channels) {
    layout_.groups = channels;
    bytes_.resize(layout_.bytes());
  }

  /// Codes the current elements of the run that begins at channel `first`, and puts it into the
  /// block.
  void encode(const std::uint16_t* current, std::size_t first, std::uint8_t* block) {
    encode_kivi(layout_, current + first, bytes_.data(), level_);
    const std::size_t codes = layout_.code_bytes(), g = layout_.groups;
    std::memcpy(block + keys_.code_bit(first, 0) / 8, bytes_.data(), codes);
    std::uint8_t* const scales = block + keys_.code_bytes();
    std::memcpy(scales + 2 * first, &bytes_[codes], 2 * g);
    std::memcpy(scales + 2 * (keys_.groups + first), &bytes_[codes + 2 * g], 2 * g);
  }

  /// What encode() coded, as a block.
  const std::uint8_t* bytes() const { return bytes_.data(); }

  /// Decoded less current elements of the run that encode() coded, [tokens, channels].
  const std::vector<std::int64_t>& errors(const std::uint16_t* current, std::size_t first) {
    const std::size_t codes = layout_.code_bytes(), g = layout_.groups;
    const auto bits = static_cast<std::size_t>(layout_.bits);
    const auto mask = static_cast<std::uint64_t>(layout_.most());
    for (std::size_t c = 0; c < g; ++c) {
      const std::uint8_t* from = &bytes_[layout_.code_bit(c, 0) / 8];
      const std::int64_t scale = half_at(codes + 2 * c), minimum = half_at(codes + 2 * (g + c));
      for (std::size_t t = 0; t < layout_.size; t += kCodes, from += bits) {
        const std::uint64_t packed = load_codes(from, bits);
        for (std::size_t k = 0; k < kCodes; ++k) {
          const auto code = static_cast<std::int64_t>(packed >> (bits * k) & mask);
          errors_[(t + k) * g + c] = minimum + code * scale -
                                     units_of(current[(t + k) * layout_.next_element + first + c]);
        }
      }
    }
    return errors_;
  }

 private:
  std::int64_t half_at(std::size_t byte) const {
    return units_of(static_cast<std::uint16_t>(load_codes(&bytes_[byte], 2)));
  }

  const KiviLayout& keys_;
  KiviLayout layout_;
  SimdLevel level_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::int64_t> errors_;
};

}  // namespace

void encode_squat(const KiviLayout& keys, const SquatFeedback& feedback, const std::uint16_t* x,
                  std::uint8_t* block, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const LevelUnits& units = level_units(level);
  check_finite(x, keys.elements());
  const std::size_t g = feedback.channels, d = feedback.d;
  std::vector<std::uint16_t> current(x, x + keys.elements());
  Run run(keys, g, level);
  for (std::size_t s = 1; s < feedback.runs(); ++s) {
    run.encode(current.data(), (s - 1) * g, block);
    if (units.feed_back_run != nullptr && g <= kMostRun) {
      units.feed_back_run({keys.bits, keys.size, d, (s - 1) * g, g, run.bytes(),
                           feedback.exponents[s - 1], &feedback.matrices[feedback.offset(s)],
                           current.data()});
      continue;
    }
    const std::vector<std::int64_t>& errors = run.errors(current.data(), (s - 1) * g);
    const int exponent = feedback.exponents[s - 1];
    for (std::size_t t = 0; t < keys.size; ++t) {
      const std::int16_t* row = &feedback.matrices[feedback.offset(s)];
      for (std::size_t i = s * g; i < d; ++i, row += g) {
        std::int64_t sum = units_of(current[t * d + i]) * (std::int64_t{1} << -exponent);
        for (std::size_t j = 0; j < g; ++j) sum += row[j] * errors[t * g + j];
        current[t * d + i] = half_of_sum(sum, exponent);
      }
    }
  }
  run.encode(current.data(), d - g, block);
}

}  // namespace axelram
