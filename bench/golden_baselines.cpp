#include "golden_baselines.hpp"

#include <Eigen/Core>

#include "axelram/align.hpp"
#include "axelram/center.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/norm.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/record.hpp"

namespace baselines {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColumnMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

template <class Matrix>
void multiply(const float* keys, const float* query, std::size_t count, int d, float* scores) {
  const auto rows = static_cast<Eigen::Index>(count);
  const Eigen::Map<const Matrix> matrix(keys, rows, d);
  const Eigen::Map<const Eigen::VectorXf> vector(query, d);
  Eigen::Map<Eigen::VectorXf> result(scores, rows);
  result.noalias() = matrix * vector;
}

}  // namespace

void eigen_rows(const float* keys, const float* query, std::size_t count, int d, float* scores) {
  multiply<RowMajor>(keys, query, count, d, scores);
}

void eigen_columns(const float* keys, const float* query, std::size_t count, int d, float* scores) {
  multiply<ColumnMajor>(keys, query, count, d, scores);
}

void table_lookup(const std::int32_t* table, const std::uint8_t* indices, const float* norms,
                  std::size_t count, int d, int levels, float* scores) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint8_t* key = indices + k * static_cast<std::size_t>(d);
    std::int32_t sum = 0;
    for (int i = 0; i < d; ++i) sum += table[i * levels + key[i]];
    scores[k] = static_cast<float>(sum) * norms[k];
  }
}

void plain_hadamard(std::int32_t* x, int d) {
  for (int stride = 1; stride < d; stride *= 2) {
    for (int block = 0; block < d; block += 2 * stride) {
      for (int i = block; i < block + stride; ++i) {
        const std::int32_t a = x[i];
        const std::int32_t b = x[i + stride];
        x[i] = a + b;
        x[i + stride] = a - b;
      }
    }
  }
}

void reference_write(const WriteInput& input, const std::uint16_t* key, std::uint8_t* record) {
  std::int32_t y[256];
  std::int32_t thresholds[15];
  std::uint8_t indices[256];
  int e = 0;
  const int d = input.d;
  const int count = (1 << input.index_bits) - 1;
  const auto format = input.bf16 ? axelram::ElementFormat::bf16 : axelram::ElementFormat::fp16;
  if (input.center != nullptr)
    axelram::center_ref(key, input.center, d, format, input.significand_bits, y, &e);
  else
    axelram::align_ref(key, d, format, input.significand_bits, y, &e);
  const std::uint32_t root = axelram::root_ref(axelram::square_sum_ref(y, d));
  const axelram::Norm norm = axelram::norm_ref(root, e);
  axelram::rotate_ref(input.signs, y, d);
  axelram::thresholds_ref(input.boundaries, count, root, input.fraction_bits, thresholds);
  axelram::quantize_ref(y, d, thresholds, count, indices);
  axelram::pack_record_ref(indices, norm.half, d, input.index_bits, record);
}

}  // namespace baselines
