#pragma once

#include <cstddef>

namespace axelram::turboquant {

/// Rows that one pass over a matrix serves. They lie element by element, [d, kTogether].
constexpr std::size_t kTogether = 8;

/// out = M in, or M^T in. matrix: [d, d], row-major. in and out: [d, kTogether], not the same.
/// The same bits on every level: each sum runs in ascending order, without contraction.
using Product = void(const double* matrix, std::size_t d, const double* in, double* out);

namespace portable {
Product multiply, multiply_transposed;
}
namespace avx2 {
Product multiply, multiply_transposed;
}
namespace avx512 {
Product multiply, multiply_transposed;
}

}  // namespace axelram::turboquant
