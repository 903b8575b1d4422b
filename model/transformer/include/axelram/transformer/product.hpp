#pragma once

#include <cstddef>

namespace axelram::transformer {

/// View of rows of floats; `stride` floats from one row to the next.
struct Rows {
  const float* data;
  std::size_t rows, columns, stride;
};
struct MutableRows {
  float* data;
  std::size_t rows, columns, stride;
};

/// Dense float arithmetic on one thread, by Eigen compiled for simd_level(). Results depend on the
/// level, never on the number of threads.

/// c = a b and c = a b^T; c must not overlap a or b.
void multiply(const Rows& a, const Rows& b, const MutableRows& c);
void multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c);

/// x_i = exp(scale * x_i) / sum_j exp(scale * x_j), count >= 1, scale > 0.
void softmax(float* x, std::size_t count, float scale);
/// x / (1 + exp(-x)).
void silu(float* x, std::size_t count);
/// GELU by the tanh approximation of GPT-2.
void gelu_tanh(float* x, std::size_t count);

/// The largest of count >= 1 values; any value if one of them is NaN.
float largest(const float* x, std::size_t count);
/// Values that are larger than x[place], and equal ones before it.
std::size_t rank(const float* x, std::size_t count, std::size_t place);
/// The sum of p ln(p / q) over ln p_i = x_i - x_shift and ln q_i = y_i - y_shift, in binary64.
double divergence(const float* x, double x_shift, const float* y, double y_shift,
                  std::size_t count);

}  // namespace axelram::transformer
