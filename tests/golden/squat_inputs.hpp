#pragma once

#include "axelram/squat.hpp"
#include "golden/tier_oracle.hpp"

/// Feedback and key blocks of the tests of SQuat.
namespace squat_inputs {

using tier_oracle::Half;
using tier_oracle::Rng;
using tier_oracle::Row;
using tier_oracle::uniform;

/// Matrices of all characters: plausible, the largest ones, zero.
inline axelram::SquatFeedback random_feedback(Rng& rng, std::size_t d, std::size_t channels) {
  axelram::SquatFeedback feedback{d, channels, {}, {}};
  const int character = uniform(rng, 0, 3);
  for (std::size_t s = 1; s < d / channels; ++s) {
    feedback.exponents.push_back(character == 0 ? 0 : uniform(rng, -20, -10));
    for (std::size_t i = 0; i < (d - s * channels) * channels; ++i)
      feedback.matrices.push_back(
          static_cast<std::int16_t>(character == 0   ? uniform(rng, -1, 1)
                                    : character == 1 ? (uniform(rng, 0, 1) == 0 ? 32767 : -32767)
                                    : character == 2 ? uniform(rng, -32767, 32767)
                                                     : uniform(rng, -300, 300)));
  }
  return feedback;
}

/// Elements of adversarial groups.
inline Row random_keys(Rng& rng, const axelram::KiviLayout& keys) {
  Row x(keys.elements());
  const bool alike = uniform(rng, 0, 1) == 0;  // all channels of few binades
  for (std::size_t c = 0; c < keys.groups; ++c) {
    const Row channel = tier_oracle::adversarial_group(rng, keys.size, keys.most());
    for (std::size_t t = 0; t < keys.size; ++t)
      x[t * keys.groups + c] =
          alike ? static_cast<Half>(0x3000 + (channel[t] & 0x8FFF)) : channel[t];
  }
  return x;
}

}  // namespace squat_inputs
