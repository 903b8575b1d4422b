#include "axelram/hadamard.hpp"

namespace axelram {

void hadamard_ref(std::int32_t* x, int d) {
  for (int stride = 1; stride < d; stride *= 2) {
    for (int i = 0; i < d; ++i) {
      if ((i & stride) != 0) continue;
      const std::int32_t sum = x[i] + x[i + stride];
      const std::int32_t difference = x[i] - x[i + stride];
      x[i] = sum;
      x[i + stride] = difference;
    }
  }
}

void rotate_ref(const std::int8_t* signs, std::int32_t* x, int d) {
  for (int i = 0; i < d; ++i) x[i] *= signs[i];
  hadamard_ref(x, d);
}

}  // namespace axelram
