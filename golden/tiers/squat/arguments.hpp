#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// Feedback from a run of channels of a key block to those behind it, as encode_squat_ref does it.
/// current: the elements [tokens, d], of which those from first + channels on change. tokens and
/// channels are multiples of 8, channels up to 128.
struct SquatFeedbackStep {
  int bits;
  std::size_t tokens, d, first, channels;
  const std::uint8_t* run;  ///< block of the run alone
  int exponent;
  const std::int16_t* matrix;
  std::uint16_t* current;
};

}  // namespace axelram
