#include "tier_baselines.hpp"

#include <Eigen/Core>
#include <vector>

#include "axelram/kivi.hpp"
#include "axelram/nuq.hpp"
#include "axelram/squat.hpp"

namespace baselines {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColumnMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

template <class Matrix>
void score(const float* keys, const float* query, std::size_t queries, std::size_t count,
           std::size_t d, float* scores) {
  const Eigen::Map<const Matrix> matrix(keys, index(count), index(d));
  if (queries == 1) {  // a product with a vector is another path of Eigen's
    Eigen::Map<Eigen::VectorXf> result(scores, index(count));
    result.noalias() = matrix * Eigen::Map<const Eigen::VectorXf>(query, index(d));
    return;
  }
  Eigen::Map<ColumnMajor> results(scores, index(count), index(queries));
  results.noalias() = matrix * Eigen::Map<const ColumnMajor>(query, index(d), index(queries));
}

axelram::KiviLayout layout(int bits, std::size_t d, bool keys) {
  return keys ? axelram::kivi_key_layout(bits, d, kGroup)
              : axelram::kivi_value_layout(bits, d, kGroup);
}

}  // namespace

void eigen_scores(const float* keys, bool by_rows, const float* query, std::size_t queries,
                  std::size_t count, std::size_t d, float* scores) {
  if (by_rows) return score<RowMajor>(keys, query, queries, count, d, scores);
  score<ColumnMajor>(keys, query, queries, count, d, scores);
}

void eigen_sums(const float* values, const float* weights, std::size_t queries, std::size_t count,
                std::size_t d, float* sums) {
  const Eigen::Map<const RowMajor> matrix(values, index(count), index(d));
  if (queries == 1) {
    Eigen::Map<Eigen::RowVectorXf> result(sums, index(d));
    result.noalias() = Eigen::Map<const Eigen::RowVectorXf>(weights, index(count)) * matrix;
    return;
  }
  Eigen::Map<RowMajor> results(sums, index(queries), index(d));
  results.noalias() = Eigen::Map<const RowMajor>(weights, index(queries), index(count)) * matrix;
}

void encode_kivi(int bits, std::size_t d, bool keys, const std::uint16_t* x, std::uint8_t* block) {
  axelram::encode_kivi_ref(layout(bits, d, keys), x, block);
}

void decode_kivi(int bits, std::size_t d, bool keys, const std::uint8_t* block, float* x) {
  axelram::decode_kivi_ref(layout(bits, d, keys), block, x);
}

struct Squat::State {
  axelram::KiviLayout keys;
  axelram::SquatFeedback feedback;
};

Squat::Squat(int bits, std::size_t d, std::size_t channels, const std::int16_t* matrices,
             std::size_t count, int exponent)
    : state_(new State{layout(bits, d, true), {d, channels, {matrices, matrices + count}, {}}}) {
  state_->feedback.exponents.assign(d / channels - 1, exponent);
}
Squat::~Squat() { delete state_; }
void Squat::encode(const std::uint16_t* x, std::uint8_t* block) const {
  axelram::encode_squat_ref(state_->keys, state_->feedback, x, block);
}

struct Nuq::State {
  axelram::NuqLayout keys, values;
  std::vector<double> boundaries;
  axelram::NuqRanges ranges;
};

Nuq::Nuq(int bits, std::size_t d, const std::uint16_t* centroids, const std::uint16_t* middles,
         const std::uint16_t* radii)
    : state_(new State{{bits, d, 2, false},
                       {bits, d, 2, true},
                       axelram::nuq_boundaries_ref({centroids, centroids + (1 << bits)}),
                       {middles, radii}}) {}
Nuq::~Nuq() { delete state_; }
void Nuq::encode(bool keys, const std::uint16_t* x, std::uint8_t* row) const {
  if (keys)
    axelram::encode_nuq_key_ref(state_->keys, state_->boundaries, state_->ranges, x, row);
  else
    axelram::encode_nuq_value_ref(state_->values, state_->boundaries, x, row);
}

}  // namespace baselines
