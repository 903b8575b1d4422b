#pragma once

#include <cstddef>
#include <vector>

#include "axelram/squat.hpp"

namespace axelram::calibration {

/// How errors of keys are weighed (bit-contract.md#squat-calibration).
struct SquatOptions {
  double strength = 0.5;      ///< lambda, >= 0
  std::size_t rank = 60;      ///< eigenpairs, largest first; all of them from d on
  std::size_t channels = 64;  ///< of a run, a power of two from 8; the head's if it has fewer
};

/// A = I + lambda * the sum over the largest eigenpairs of value * v v^T. moment: [d, d],
/// symmetric, the mean of q q^T; negative values count as 0. Throws std::invalid_argument for
/// options out of range.
std::vector<double> squat_weights(const double* moment, std::size_t d, const SquatOptions& options);

/// Feedback with which errors e of keys have a small e^T A e: M_s = P[B, F] * (P[F, F])^-1 of the
/// last run of F, P = A^-1, F the channels of runs before s, B the others. Last bits of FP64 differ
/// between libraries: an element may differ by 1. Throws as squat_weights, and std::runtime_error
/// as round_squat_matrix_ref.
SquatFeedback squat_feedback(const double* moment, std::size_t d, const SquatOptions& options);

}  // namespace axelram::calibration
