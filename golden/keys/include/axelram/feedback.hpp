#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace axelram {

// Encoder with feedback (bit-contract.md#feedback): the error of the elements quantized so far
// moves the next ones, so that the errors of scores are small. Only software has it: its indices
// enter a macro in records. Floats of IEEE, sums in ascending order of elements, no contraction.

/// Largest ratio of eigenvalues that feedback of rank 1 takes.
constexpr double kMostAlpha = 1e6;

/// Second moment of the queries of a head, not rotated: a multiple of I + alpha * v v^T (rank 1),
/// or a whole matrix.
struct QueryMoment {
  std::vector<float> direction;  ///< v, d elements of norm 1
  float alpha = 0;               ///< 0..kMostAlpha; 0: no feedback
  std::vector<float> full;       ///< [d, d], symmetric; empty: rank 1
};

/// Constants of the encoder for a head and its signs: the second moment of rotated queries is
/// G^T diag(weights) G, G unit lower triangular.
struct Feedback {
  /// weights_i of the squared error of element i after feedback; d, positive.
  std::vector<float> weights;
  /// Rank 1: G_ij = a_i * u_j for j < i. d elements each; empty: full.
  std::vector<float> u, a;
  /// Full: [d, d], column i in row i: G_ki at [i][k], k > i. Empty: rank 1.
  std::vector<float> columns;

  bool full() const { return !columns.empty(); }
};

/// signs: d values, +1 or -1. d: a power of two.
/// Rank 1: with u = H diag(s) v / sqrt(d) and c_i = 1 / alpha + sum over j > i of u_j^2,
/// weights_i = 1 + u_i^2 / c_i, a_i = u_i / (c_i + u_i^2).
/// Full: the moment is divided by its mean eigenvalue, and a hundredth is added to its diagonal.
Feedback make_feedback(const QueryMoment& moment, const std::int8_t* signs, int d);

/// The same, or null if nothing is fed back: alpha is 0.
std::shared_ptr<const Feedback> feedback_of(const QueryMoment& moment, const std::int8_t* signs,
                                            int d);

/// Encodes keys, each by itself. Element i becomes the level next to y_i + sum over j < i of G_ij *
/// (y_j - level_j); with a trellis, the path of least sum of weights_i * (error of element i)^2.
/// Ties as without feedback. y: [keys, d] rotated elements. levels: [keys, 2^index_bits], or
/// 2^(index_bits + 1) with a trellis, ascending: those of the codebook times N. states: of the
/// trellis, or 0. indices: [keys, d].
void encode_feedback_ref(const Feedback& feedback, const std::int32_t* y, std::size_t keys, int d,
                         const float* levels, int index_bits, int states, std::uint8_t* indices);

/// With a full second moment M: (y^T M y) / (y^T M x) over (y^T y) / (y^T x), x the chosen levels,
/// limited to 1/2..2. A norm times this makes scores of queries with this moment unbiased
/// (bit-contract.md#feedback). 1 with rank 1, and for y = 0.
double norm_factor_ref(const Feedback& feedback, const std::int32_t* y, int d, const float* levels,
                       const std::uint8_t* chosen);

}  // namespace axelram
