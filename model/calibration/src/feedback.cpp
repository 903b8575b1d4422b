#include "axelram/calibration/feedback.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace axelram::calibration {
namespace {

using Matrix = Eigen::Map<const Eigen::MatrixXd>;  // symmetric: rows or columns first is the same

void add_rank1(const double* moment, std::size_t d, bool none, files::QueryMoments* all) {
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(Matrix(moment, size, size));
  const double leading = std::max(0.0, solver.eigenvalues()[size - 1]);  // they ascend
  const double others = std::max(0.0, (solver.eigenvalues().sum() - leading) / double(size - 1));
  Eigen::VectorXd direction = solver.eigenvectors().col(size - 1);
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  if (direction[largest] < 0) direction = -direction;
  for (const double element : direction) all->directions.push_back(static_cast<float>(element));
  const double alpha = others > 0 ? leading / others - 1 : leading > 0 ? kMostAlpha : 0;
  all->alphas.push_back(none ? 0.0F : static_cast<float>(std::clamp(alpha, 0.0, kMostAlpha)));
}

}  // namespace

files::QueryMoments query_moments(const Queries& queries, Rank rank) {
  const std::size_t d = queries.head_dim;
  files::QueryMoments all{queries.layers, queries.heads, d, {}, {}, {}};
  if (rank == Rank::full) {
    for (const double element : queries.moments) all.moments.push_back(static_cast<float>(element));
    return all;
  }
  for (std::size_t layer = 0; layer < queries.layers; ++layer)
    for (std::size_t head = 0; head < queries.heads; ++head)
      add_rank1(queries.moment(layer, head), d, rank == Rank::none, &all);
  return all;
}

}  // namespace axelram::calibration
