#include "kernel/products.hpp"

#include <cstring>

namespace axelram::turboquant::AXELRAM_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kWidth = 8, kSums = 8;
#elif defined(__AVX2__)
constexpr std::size_t kWidth = 4, kSums = 4;
#else
constexpr std::size_t kWidth = 2, kSums = 2;
#endif
using Vector [[gnu::vector_size(kWidth * sizeof(double))]] = double;
constexpr std::size_t kVectors = kTogether / kWidth;

/// `sums` results at a time: they read an element of `in` once. Element j of result i is
/// matrix[i * across + j * along].
template <std::size_t sums>
void sum_up(const double* matrix, std::size_t across, std::size_t along, std::size_t d,
            const double* in, double* out) {
  Vector totals[sums][kVectors] = {};
  for (std::size_t j = 0; j < d; ++j, in += kTogether) {
    Vector elements[kVectors];
    std::memcpy(elements, in, sizeof elements);
    for (std::size_t i = 0; i < sums; ++i) {
      const double factor = matrix[i * across + j * along];
      for (std::size_t v = 0; v < kVectors; ++v) totals[i][v] += factor * elements[v];
    }
  }
  std::memcpy(out, totals, sizeof totals);
}

void sum_all(const double* matrix, std::size_t across, std::size_t along, std::size_t d,
             const double* in, double* out) {
  std::size_t i = 0;
  for (; i + kSums <= d; i += kSums)
    sum_up<kSums>(matrix + i * across, across, along, d, in, out + i * kTogether);
  for (; i < d; ++i) sum_up<1>(matrix + i * across, across, along, d, in, out + i * kTogether);
}

}  // namespace

void multiply(const double* matrix, std::size_t d, const double* in, double* out) {
  sum_all(matrix, d, 1, d, in, out);
}

void multiply_transposed(const double* matrix, std::size_t d, const double* in, double* out) {
  sum_all(matrix, 1, d, d, in, out);
}

}  // namespace axelram::turboquant::AXELRAM_LEVEL
