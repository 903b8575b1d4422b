#include <Eigen/Core>

#include "axelram/calibration/tiers.hpp"

namespace axelram::calibration {

double mean_score_error(const std::vector<double>& errors, const double* moment, std::size_t d) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto width = static_cast<Eigen::Index>(d);
  const Eigen::Index rows = static_cast<Eigen::Index>(errors.size()) / width;
  const Eigen::Map<const Rows> e(errors.data(), rows, width), c(moment, width, width);
  return (e * c).cwiseProduct(e).sum() / static_cast<double>(rows);
}

}  // namespace axelram::calibration
