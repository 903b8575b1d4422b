#include "rows/causal_products.hpp"

#include <algorithm>

#include "axelram/transformer/product.hpp"

namespace axelram::caches {
namespace {

constexpr std::size_t kBlock = 64;

}  // namespace

void CausalProducts::score(const float* rows, const float* queries, std::size_t count,
                           std::size_t first, std::size_t oldest, std::size_t stride,
                           float* scores) {
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = std::min(kBlock, count - begin);
    const std::size_t common = first + begin + 1;  // end of the keys that all of the block see
    const transformer::Rows block{queries + begin * d_, size, d_, d_};
    transformer::multiply_transposed(
        block, {rows + oldest * d_, common - oldest, d_, d_},
        {scores + begin * stride + oldest, size, common - oldest, stride});
    if (size == 1) continue;
    corner_.resize(size * (size - 1));
    transformer::multiply_transposed(block, {rows + common * d_, size - 1, d_, d_},
                                     {corner_.data(), size, size - 1, size - 1});
    for (std::size_t i = 1; i < size; ++i)
      std::copy_n(&corner_[i * (size - 1)], i, scores + (begin + i) * stride + common);
  }
}

void CausalProducts::weighted_sum(const float* rows, const float* weights, std::size_t count,
                                  std::size_t first, std::size_t oldest, std::size_t stride,
                                  float* out) const {
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = std::min(kBlock, count - begin);
    const std::size_t seen = first + begin + size - oldest;
    transformer::multiply({weights + begin * stride + oldest, size, seen, stride},
                          {rows + oldest * d_, seen, d_, d_}, {out + begin * d_, size, d_, d_},
                          oldest);
  }
}

float CausalProducts::dot(const float* a, const float* b) const {
  float product = 0;
  transformer::multiply_transposed({a, 1, d_, d_}, {b, 1, d_, d_}, {&product, 1, 1, 1});
  return product;
}

}  // namespace axelram::caches
