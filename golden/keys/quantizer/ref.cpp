#include "axelram/quantizer.hpp"

namespace axelram {

void thresholds_ref(const std::int32_t* boundary_words, int count, std::uint32_t root,
                    int fraction_bits, std::int32_t* thresholds) {
  for (int j = 0; j < count; ++j) {
    const std::int64_t product = boundary_words[j] * static_cast<std::int64_t>(root);
    thresholds[j] = static_cast<std::int32_t>(product >> fraction_bits);
  }
}

void quantize_ref(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
                  std::uint8_t* indices) {
  for (int i = 0; i < d; ++i) {
    int index = 0;
    for (int j = 0; j < count; ++j) index += y[i] > thresholds[j] ? 1 : 0;
    indices[i] = static_cast<std::uint8_t>(index);
  }
}

}  // namespace axelram
