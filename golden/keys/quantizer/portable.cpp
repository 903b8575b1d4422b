#include "simd/level_units.hpp"

namespace axelram::portable {

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices) {
  for (int i = 0; i < d; ++i) {
    int index = 0;
    for (int j = 0; j < count; ++j) index += y[i] > thresholds[j] ? 1 : 0;
    indices[i] = static_cast<std::uint8_t>(index);
  }
}

}  // namespace axelram::portable
