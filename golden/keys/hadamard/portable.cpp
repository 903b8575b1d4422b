#include "simd/level_units.hpp"

namespace axelram::portable {

void hadamard(std::int32_t* x, int d) {
  for (int stride = 1; stride < d; stride *= 2) {
    for (int block = 0; block < d; block += 2 * stride) {
      for (int i = block; i < block + stride; ++i) {
        const std::int32_t sum = x[i] + x[i + stride];
        const std::int32_t difference = x[i] - x[i + stride];
        x[i] = sum;
        x[i + stride] = difference;
      }
    }
  }
}

void apply_signs(const std::int8_t* signs, std::int32_t* x, int d) {
  for (int i = 0; i < d; ++i) x[i] *= signs[i];
}

}  // namespace axelram::portable
