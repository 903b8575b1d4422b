#pragma once

#include <cstddef>

namespace axelram::sim {

/// H_d x in FP64, in place, without a factor. d: a power of two.
inline void hadamard(double* x, std::size_t d) {
  for (std::size_t half = 1; half < d; half *= 2)
    for (std::size_t i = 0; i < d; ++i)
      if ((i & half) == 0) {
        const double a = x[i];
        const double b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
}

}  // namespace axelram::sim
