#include "axelram/turboquant/quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "axelram/turboquant/codebooks.hpp"

namespace axelram::turboquant {
namespace {

double square_sum(const double* x, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * x[i];
  return sum;
}

}  // namespace

Quantizer::Quantizer(Kind kind, int bits, Scale scale, std::shared_ptr<const LinearMap> rotation,
                     Projection projection)
    : kind_(kind),
      scale_(scale),
      index_bits_(bits - (kind == Kind::prod ? 1 : 0)),
      rotation_(std::move(rotation)),
      projection_(std::move(projection)),
      codebook_(&sphere_codebook(static_cast<int>(rotation_->dim()), index_bits_)),
      unit_(1 / std::sqrt(static_cast<double>(rotation_->dim()))) {
  if (has_residual() && scale != Scale::norm)
    throw std::invalid_argument("kind prod with a scale other than norm");
  if (has_residual() && projection_.map == nullptr)
    throw std::invalid_argument("kind prod without a projection");
}

void Quantizer::quantize(const double* rows, std::size_t count, Code* codes) const {
  const std::size_t d = dim();
  std::vector<double> rotated(count * d);
  rotation_->apply(rows, count, rotated.data());
  for (std::size_t row = 0; row < count; ++row) take_levels(&rotated[row * d], &codes[row]);
  if (!has_residual()) return;
  for (std::size_t row = 0; row < count; ++row) {
    double* const residual = &rotated[row * d];
    const double factor = codes[row].norm * unit_;
    for (std::size_t i = 0; i < d; ++i)
      residual[i] -= factor * codebook_->centroids[codes[row].indices[i]];
    codes[row].residual_norm = std::sqrt(square_sum(residual, d));
  }
  projection_.map->apply(rotated.data(), count, rotated.data());
  for (std::size_t row = 0; row < count; ++row) {
    codes[row].negative.resize(d);
    for (std::size_t i = 0; i < d; ++i) codes[row].negative[i] = rotated[row * d + i] < 0 ? 1 : 0;
  }
}

void Quantizer::take_levels(const double* rotated, Code* code) const {
  const double norm = std::sqrt(square_sum(rotated, dim()));
  const double threshold_scale = norm * unit_;
  code->indices.resize(dim());
  for (std::size_t i = 0; i < dim(); ++i) {
    int index = 0;
    for (const double boundary : codebook_->boundaries)
      index += rotated[i] >= boundary * threshold_scale ? 1 : 0;
    code->indices[i] = static_cast<std::uint8_t>(index);
  }
  code->norm = scaled_norm(rotated, norm, *code);
}

double Quantizer::scaled_norm(const double* rotated, double norm, const Code& code) const {
  if (scale_ == Scale::norm || norm == 0) return norm;
  double product = 0, square = 0;
  for (std::size_t i = 0; i < dim(); ++i) {
    const double level = codebook_->centroids[code.indices[i]] * unit_;
    product += rotated[i] * level;
    square += level * level;
  }
  switch (scale_) {
    case Scale::norm:
      return norm;
    case Scale::matched:
      return norm / std::sqrt(square);
    case Scale::mse:
      return product / square;
    case Scale::unbiased:
      return norm * norm / product;
  }
  throw std::logic_error("a scale has no norm");
}

void Quantizer::reconstruct(const Code* codes, std::size_t count, double* rows) const {
  const std::size_t d = dim();
  if (has_residual()) {
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < d; ++i) rows[row * d + i] = codes[row].negative[i] != 0 ? -1 : 1;
    projection_.map->apply_transposed(rows, count, rows);
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < d; ++i)
        rows[row * d + i] *= projection_.factor * codes[row].residual_norm;
  } else {
    std::fill_n(rows, count * d, 0.0);
  }
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t i = 0; i < d; ++i)
      rows[row * d + i] += codes[row].norm * unit_ * codebook_->centroids[codes[row].indices[i]];
  rotation_->apply_transposed(rows, count, rows);
}

}  // namespace axelram::turboquant
