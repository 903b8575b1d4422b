#include "product/product.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kChunk = 64;
using Chunk = Eigen::Array<float, kChunk, 1>;

/// Calls function(chunk, used values) on copies. Eigen processes the ends of an array with other
/// instructions than its middle, and their position depends on the address.
template <class Function>
void in_chunks(float* x, std::size_t count, const Function& function) {
  for (std::size_t first = 0; first < count; first += kChunk) {
    const std::size_t used = std::min(kChunk, count - first);
    Chunk chunk = Chunk::Zero();
    std::copy_n(x + first, used, chunk.data());
    function(chunk, used);
    std::copy_n(chunk.data(), used, x + first);
  }
}

}  // namespace

void softmax(float* x, std::size_t count, float scale) {
  const float most = largest(x, count);
  // In FP64: of a long row a float would lose what the sums over values keep.
  Eigen::Array<double, kChunk, 1> sums = Eigen::Array<double, kChunk, 1>::Zero();
  in_chunks(x, count, [&](Chunk& chunk, std::size_t used) {
    chunk = ((chunk - most) * scale).exp();
    for (std::size_t i = used; i < kChunk; ++i) chunk[static_cast<Eigen::Index>(i)] = 0;
    sums += chunk.cast<double>();
  });
  const auto share = static_cast<float>(1 / sums.sum());
  for (std::size_t i = 0; i < count; ++i) x[i] *= share;
}

void silu(float* x, std::size_t count) {
  in_chunks(x, count,
            [](Chunk& chunk, std::size_t) { chunk = chunk / (1.0F + (-chunk).exp()).eval(); });
}

void gelu_tanh(float* x, std::size_t count) {
  static constexpr float kRoot = 0.7978845608028654F;  // sqrt(2 / pi)
  in_chunks(x, count, [](Chunk& chunk, std::size_t) {
    const Chunk inner = kRoot * (chunk + 0.044715F * chunk.cube());
    chunk = 0.5F * chunk * (1.0F + inner.tanh());
  });
}

}  // namespace axelram::transformer::AXELRAM_LEVEL
