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

/// Dense float arithmetic on one thread, compiled for simd_level(). Results depend on the level,
/// never on the number of threads. A row of a product depends on its row of a and on b alone, to
/// the last bit: not on the number of rows, nor on the place of a row.

/// Rows of b that multiply() sums in FP32.
inline constexpr std::size_t kSummedTogether = 256;

/// c = a b; c must not overlap a or b. Row t of b is number first + t of a longer sequence. Rows
/// whose numbers have the same quotient by kSummedTogether are summed in FP32, these sums in FP64,
/// in order: weights of zero at either end, or fewer rows, change no bit of the others' sum.
/// |error| <= 2^-15.9 sum |a b|, for any number of rows.
void multiply(const Rows& a, const Rows& b, const MutableRows& c, std::size_t first = 0);
/// c = a b^T; c must not overlap a or b. |error| <= 2^-17.9 sum |a b| up to 256 columns.
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
