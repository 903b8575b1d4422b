#include "float_hadamard.hpp"

#include <algorithm>
#include <utility>

namespace axelram::caches {
namespace {

/// Sums and differences of neighbours: H_2 on the lowest bit of the index, which becomes the
/// highest. After log2(d) stages each bit has had its turn and is back in its place; every stage
/// is the same loop over whole vectors (Pease 1968).
void stage(const float* __restrict from, float* __restrict to, int half) {
  for (int i = 0; i < half; ++i) {
    const float a = from[2 * i], b = from[2 * i + 1];
    to[i] = a + b;
    to[i + half] = a - b;
  }
}

}  // namespace

void hadamard(float* x, float* scratch, int d) {
  float *from = x, *to = scratch;
  for (int size = 1; size < d; size *= 2) {
    stage(from, to, d / 2);
    std::swap(from, to);
  }
  if (from != x) std::copy_n(from, d, x);
}

}  // namespace axelram::caches
