#include <Eigen/Dense>
#include <algorithm>

#include "product/product.hpp"

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kChunk = 64;
using Floats = Eigen::Array<float, kChunk, 1>;
using Doubles = Eigen::Array<double, kChunk, 1>;

/// The chunk at x, wherever x is: Eigen would process the ends of a longer array with other
/// instructions than its middle.
Floats chunk_at(const float* x) { return Eigen::Map<const Floats, Eigen::Unaligned>(x); }

}  // namespace

float largest(const float* x, std::size_t count) {
  float most = x[0];
  if (count < kChunk) {
    for (std::size_t i = 1; i < count; ++i) most = std::max(most, x[i]);
    return most;
  }
  Floats chunk = chunk_at(x + count - kChunk);
  for (std::size_t first = 0; first + kChunk < count; first += kChunk)
    chunk = chunk.max(chunk_at(x + first));
  return chunk.maxCoeff();
}

std::size_t rank(const float* x, std::size_t count, std::size_t place) {
  const float value = x[place];
  std::uint32_t before = 0;  // as wide as a float, for the vectoriser
  for (std::size_t i = 0; i < count; ++i) before += x[i] > value ? 1 : 0;
  for (std::size_t i = 0; i < place; ++i) before += x[i] == value ? 1 : 0;
  return before;
}

double divergence(const float* x, double x_shift, const float* y, double y_shift,
                  std::size_t count) {
  Doubles sums = Doubles::Zero();
  const auto add = [&](const float* p, const float* q, std::size_t used) {
    const Doubles log_p = chunk_at(p).cast<double>() - x_shift;
    const Doubles log_q = chunk_at(q).cast<double>() - y_shift;
    Doubles terms = log_p.exp() * (log_p - log_q);
    for (std::size_t i = used; i < kChunk; ++i) terms[static_cast<Eigen::Index>(i)] = 0;
    sums += terms;
  };
  std::size_t first = 0;
  for (; first + kChunk <= count; first += kChunk) add(x + first, y + first, kChunk);
  if (first < count) {
    float p[kChunk] = {}, q[kChunk] = {};
    std::copy_n(x + first, count - first, p);
    std::copy_n(y + first, count - first, q);
    add(p, q, count - first);
  }
  return sums.sum();
}

}  // namespace axelram::transformer::AXELRAM_LEVEL
