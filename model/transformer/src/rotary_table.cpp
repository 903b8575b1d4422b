#include "axelram/transformer/rotary_table.hpp"

#include <cmath>
#include <utility>

namespace axelram::transformer {

RotaryTable::RotaryTable(const checkpoints::Rotary& rotary, bool interleaved, std::size_t positions)
    : rotary_(rotary), pairs_(rotary.frequencies.size()), interleaved_(interleaved) {
  extend(positions);
}

void RotaryTable::extend(std::size_t positions) {
  for (; positions_ < positions; ++positions_)
    for (const double frequency : rotary_.frequencies) {
      const double angle = static_cast<double>(positions_) * frequency;
      const double factor = rotary_.attention_factor;
      cosines_.push_back(static_cast<float>(factor * std::cos(angle)));
      sines_.push_back(static_cast<float>(factor * std::sin(angle)));
    }
}

RotaryTable::RotaryTable(std::vector<float> cosines, std::vector<float> sines, std::size_t pairs,
                         bool interleaved)
    : pairs_(pairs),
      interleaved_(interleaved),
      cosines_(std::move(cosines)),
      sines_(std::move(sines)) {}

void RotaryTable::turn(std::size_t position, float* head) const {
  const float* const cosines = cosines_.data() + position * pairs_;
  const float* const sines = sines_.data() + position * pairs_;
  const std::size_t step = interleaved_ ? 2 : 1, apart = interleaved_ ? 1 : pairs_;
  for (std::size_t i = 0; i < pairs_; ++i) {
    float& x = head[i * step];
    float& y = head[i * step + apart];
    const float turned = x * cosines[i] - y * sines[i];
    y = x * sines[i] + y * cosines[i];
    x = turned;
  }
}

}  // namespace axelram::transformer
