#include "axelram/calibration/squat.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace axelram::calibration {
namespace {

using Square = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void check_squat_options(const SquatOptions& options) {
  if (!(options.strength >= 0 && std::isfinite(options.strength)))
    throw std::invalid_argument("the strength of SQuat is a finite number that is not negative");
  if (options.rank == 0) throw std::invalid_argument("the rank of SQuat is at least 1");
}

Square squat_weighting(const double* moment, std::size_t d, const SquatOptions& options) {
  check_squat_options(options);
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::Map<const Square> c(moment, size, size);
  if (options.rank >= d) return Square::Identity(size, size) + options.strength * c;
  const Eigen::SelfAdjointEigenSolver<Square> solver(c);  // values ascend
  const auto rank = static_cast<Eigen::Index>(options.rank);
  const auto vectors = solver.eigenvectors().rightCols(rank);
  const Eigen::VectorXd values = solver.eigenvalues().tail(rank).cwiseMax(0.0);
  return Square::Identity(size, size) +
         options.strength * (vectors * values.asDiagonal() * vectors.transpose());
}

}  // namespace

std::vector<double> squat_weights(const double* moment, std::size_t d,
                                  const SquatOptions& options) {
  const Square a = squat_weighting(moment, d, options);
  return {a.data(), a.data() + a.size()};
}

SquatFeedback squat_feedback(const double* moment, std::size_t d, const SquatOptions& options) {
  const auto size = static_cast<Eigen::Index>(d);
  const Square a = squat_weighting(moment, d, options);
  const Square p = a.ldlt().solve(Square::Identity(size, size));
  SquatFeedback feedback{d, std::min(options.channels, d), {}, {}};
  const auto g = static_cast<Eigen::Index>(feedback.channels);
  for (Eigen::Index before = g; g > 0 && before < size; before += g) {
    const Square last = Square::Identity(before, before).rightCols(g);
    const RowMajor m = p.bottomLeftCorner(size - before, before) *
                       p.topLeftCorner(before, before).ldlt().solve(last);
    std::vector<std::int16_t> rounded(static_cast<std::size_t>(m.size()));
    feedback.exponents.push_back(round_squat_matrix_ref(m.data(), rounded.size(), rounded.data()));
    feedback.matrices.insert(feedback.matrices.end(), rounded.begin(), rounded.end());
  }
  check_squat_feedback(feedback);
  return feedback;
}

}  // namespace axelram::calibration
