#pragma once

#include <cstddef>

namespace axelram {

/// In place: x = H_d x in FP64, H_d the unnormalised Sylvester matrix. d: a power of two.
inline void hadamard(double* x, std::size_t d) {
  for (std::size_t half = 1; half < d; half *= 2)
    for (std::size_t first = 0; first < d; first += 2 * half)
      for (std::size_t i = first; i < first + half; ++i) {
        const double a = x[i], b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
}

}  // namespace axelram
