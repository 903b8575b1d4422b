#include "axelram/fast_keys.hpp"
#include "keys/feedback/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void encode_feedback(const Feedback& feedback, const std::int32_t* y, std::size_t keys, int d,
                     const float* levels, int index_bits, int states, std::uint8_t* indices,
                     SimdLevel level) {
  const LevelUnits& units = level_units(level);
  if (units.encode_feedback == nullptr || d % kLevelGroup != 0 || d > 512 || index_bits < 2 ||
      index_bits > 4)
    return encode_feedback_ref(feedback, y, keys, d, levels, index_bits, states, indices);
  const auto pointer = [](const std::vector<float>& values) {
    return values.empty() ? nullptr : values.data();
  };
  const FeedbackRows rows{pointer(feedback.weights), pointer(feedback.u), pointer(feedback.a),
                          pointer(feedback.columns)};
  if (states == 0)
    units.encode_feedback(rows, y, keys, d, levels, index_bits, indices);
  else
    units.encode_feedback_path(rows, y, keys, d, levels, index_bits, states, indices);
}

}  // namespace axelram
