#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/kivi.hpp"

namespace axelram {

// Codes of key blocks that make up for the errors of earlier channels (bit-contract.md#squat;
// references.md#squat, references.md#gptq). Blocks have the bytes of KIVI and decode as these.

/// Feedback between runs of `channels` channels. Matrix s = 1, 2, ... leads the errors of run s - 1
/// to all channels behind it: M = M' * 2^exponent.
struct SquatFeedback {
  std::size_t d = 0;
  std::size_t channels = 0;            ///< g: a power of two, 8 .. d; d: no feedback
  std::vector<std::int16_t> matrices;  ///< M'_1, M'_2, ...: each [d - s * g, g], row after row
  std::vector<int> exponents;          ///< of each matrix, kLeastSquatExponent .. 0

  std::size_t runs() const { return d / channels; }
  /// Of M'_s in `matrices`; s = 1 .. runs(), the last one being the end.
  std::size_t offset(std::size_t s) const {
    return channels * channels * ((s - 1) * (2 * runs() - s) / 2);
  }
};

constexpr int kLeastSquatExponent = -20;

/// Throws std::invalid_argument, with what is wrong, unless sizes and exponents are valid.
void check_squat_feedback(const SquatFeedback& feedback);

/// Rounds a matrix: the least exponent e >= kLeastSquatExponent for which RNE(m * 2^-e) fit 16 bits
/// without -2^15. rounded: count values. Throws std::runtime_error where e is above 0, or an
/// element is not finite.
int round_squat_matrix_ref(const double* m, std::size_t count, std::int16_t* rounded);

/// FP16 RNE of the exact current + 2^exponent * sum of m_j * errors_j * 2^-24, saturated at
/// +-65504, zero as +0. current: FP16. exponent: kLeastSquatExponent .. 0. errors: multiples of
/// 2^-24, at most 21840 each, as those of KIVI are; count <= 128.
std::uint16_t feed_back_ref(std::uint16_t current, int exponent, const std::int16_t* m,
                            const std::int64_t* errors, std::size_t count);

/// Encodes a key block: KIVI of the elements as feedback moved them. x: [group, d], FP16. block:
/// keys.bytes(). keys: of kivi_key_layout, with feedback.d channels. Throws as encode_kivi_ref.
void encode_squat_ref(const KiviLayout& keys, const SquatFeedback& feedback, const std::uint16_t* x,
                      std::uint8_t* block);

}  // namespace axelram
