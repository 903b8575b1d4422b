#pragma once

#include <cstddef>

namespace axelram::calibration {

/// Adds q q^T, the lower triangle.
inline void add_moment(const float* q, std::size_t d, double* moment) {
  for (std::size_t i = 0; i < d; ++i) {
    double* const row = moment + i * d;
    const double element = q[i];
    for (std::size_t j = 0; j <= i; ++j) row[j] += element * double{q[j]};
  }
}

/// A sum whose lower triangle is valid to a mean of whole matrices.
inline void finish_moment(double count, std::size_t d, double* moment) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      moment[i * d + j] /= count;
      moment[j * d + i] = moment[i * d + j];
    }
}

}  // namespace axelram::calibration
