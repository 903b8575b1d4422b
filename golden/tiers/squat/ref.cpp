#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/half.hpp"
#include "axelram/rounding.hpp"
#include "axelram/squat.hpp"
#include "axelram/tier_row.hpp"

namespace axelram {
namespace {

constexpr double kUnit = 0x1p24;  // FP16 numbers are multiples of 1 / kUnit

std::int64_t half_units(std::uint16_t half) {
  return static_cast<std::int64_t>(half_to_double(half) * kUnit);
}

/// Errors of one channel of all tokens: decoded less current elements, multiples of 2^-24.
void channel_errors(const KiviLayout& keys, const std::uint16_t* x, std::int64_t* errors,
                    std::size_t next_error) {
  const KiviGroup group = kivi_group_ref(x, keys.size, keys.next_element, keys.most());
  for (std::size_t t = 0; t < keys.size; ++t) {
    const std::uint16_t element = x[t * keys.next_element];
    const double decoded = kivi_value(group, kivi_code_ref(group, element, keys.most()));
    errors[t * next_error] = static_cast<std::int64_t>((decoded - half_to_double(element)) * kUnit);
  }
}

}  // namespace

void check_squat_feedback(const SquatFeedback& feedback) {
  const std::size_t g = feedback.channels;
  if (g < 8 || (g & (g - 1)) != 0 || feedback.d < g || feedback.d % g != 0)
    throw std::invalid_argument("SQuat has runs of " + std::to_string(g) + " of " +
                                std::to_string(feedback.d) +
                                " channels; a power of two from 8 that divides them is valid");
  if (feedback.exponents.size() != feedback.runs() - 1 ||
      feedback.matrices.size() != feedback.offset(feedback.runs()))
    throw std::invalid_argument("the matrices of SQuat do not have the sizes of their channels");
  for (const int exponent : feedback.exponents)
    if (exponent < kLeastSquatExponent || exponent > 0)
      throw std::invalid_argument("a matrix of SQuat has the exponent " + std::to_string(exponent) +
                                  "; -20 to 0 are valid");
}

int round_squat_matrix_ref(const double* m, std::size_t count, std::int16_t* rounded) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // max drops a NaN: it is not less than itself.
    if (!std::isfinite(m[i])) throw std::runtime_error("a matrix of SQuat is not finite");
    largest = std::max(largest, std::abs(m[i]));
  }
  // 32767.5 is a tie that goes to 32768.
  int exponent = kLeastSquatExponent;
  while (std::ldexp(largest, -exponent) >= 32767.5) ++exponent;
  if (exponent > 0)
    throw std::runtime_error("a matrix of SQuat needs the exponent " + std::to_string(exponent) +
                             ": its feedback is too strong");
  for (std::size_t i = 0; i < count; ++i)
    rounded[i] = static_cast<std::int16_t>(round_to_even(std::ldexp(m[i], -exponent)));
  return exponent;
}

std::uint16_t feed_back_ref(std::uint16_t current, int exponent, const std::int16_t* m,
                            const std::int64_t* errors, std::size_t count) {
  // Multiples of 2^(exponent - 24): the element is below 2^60, and each of 128 products below
  // 2^15 * 21840 * 2^24 < 2^53.5, so that the sum is below 2^62.
  std::int64_t sum = half_units(current) * (std::int64_t{1} << -exponent);
  for (std::size_t j = 0; j < count; ++j) sum += m[j] * errors[j];
  const std::int64_t code = std::min<std::int64_t>(
      kHalfMax,
      encode_rne(static_cast<std::uint64_t>(sum < 0 ? -sum : sum), exponent - 24, 10, 15));
  return static_cast<std::uint16_t>(sum < 0 && code != 0 ? code | 0x8000 : code);
}

void encode_squat_ref(const KiviLayout& keys, const SquatFeedback& feedback, const std::uint16_t* x,
                      std::uint8_t* block) {
  check_finite(x, keys.elements());  // of all runs, before feedback reaches them
  const std::size_t g = feedback.channels, d = feedback.d;
  std::vector<std::uint16_t> current(x, x + keys.elements());
  std::vector<std::int64_t> errors(keys.size * g);  // [tokens, g]
  for (std::size_t s = 1; s < feedback.runs(); ++s) {
    for (std::size_t c = 0; c < g; ++c)
      channel_errors(keys, &current[(s - 1) * g + c], &errors[c], g);
    const std::int16_t* const matrix = &feedback.matrices[feedback.offset(s)];
    for (std::size_t t = 0; t < keys.size; ++t)
      for (std::size_t i = s * g; i < d; ++i) {
        std::uint16_t& element = current[t * d + i];
        element = feed_back_ref(element, feedback.exponents[s - 1], matrix + (i - s * g) * g,
                                &errors[t * g], g);
      }
  }
  // Elements of a run do not change behind its turn: its codes are those whose errors were fed
  // back.
  encode_kivi_ref(keys, current.data(), block);
}

}  // namespace axelram
