#include "product/product.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Constant = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using Mutable = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

Constant map(const Rows& m) {
  return {m.data, static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride))};
}

Mutable map(const MutableRows& m) {
  return {m.data, static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride))};
}

/// Eigen splits products by the sizes of the CPU's caches, and with them the order of the sums.
/// With fixed sizes (bytes of the levels 1, 2 and 3) every CPU adds in the same order. Not at the
/// program's start: that would execute this level's instructions on every CPU.
void fix_cache_sizes() {
  [[maybe_unused]] static const bool fixed =
      (Eigen::setCpuCacheSizes(48 << 10, 1 << 20, 32 << 20), true);
}

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

void multiply(const Rows& a, const Rows& b, const MutableRows& c) {
  fix_cache_sizes();
  map(c).noalias() = map(a) * map(b);
}

void multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c) {
  fix_cache_sizes();
  map(c).noalias() = map(a) * map(b).transpose();
}

void softmax(float* x, std::size_t count, float scale) {
  const float most = largest(x, count);
  Chunk sums = Chunk::Zero();
  in_chunks(x, count, [&](Chunk& chunk, std::size_t used) {
    chunk = ((chunk - most) * scale).exp();
    for (std::size_t i = used; i < kChunk; ++i) chunk[static_cast<Eigen::Index>(i)] = 0;
    sums += chunk;
  });
  const float share = 1 / sums.sum();
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
