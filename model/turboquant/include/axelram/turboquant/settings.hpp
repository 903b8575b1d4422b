#pragma once

#include "axelram/names.hpp"

/// TurboQuant as its paper states it, in double precision (references.md#turboquant): for
/// comparison with the macro, whose integers are bit-contract.md#residual.
namespace axelram::turboquant {

enum class Kind { mse, prod };
enum class RotationKind { hadamard, gaussian_qr };
enum class ProjectionKind { gaussian, orthogonal, hadamard };
enum class Scale { norm, matched, mse, unbiased };

struct Settings {
  Kind kind = Kind::mse;
  double bits = 3;  ///< of a channel, without norms: 1, 2, 3, 4, or 2.5 and 3.5 with a split
  RotationKind rotation = RotationKind::gaussian_qr;
  ProjectionKind projection = ProjectionKind::gaussian;  ///< of the residual; prod only
  Scale scale = Scale::norm;                             ///< prod: norm
  bool operator==(const Settings&) const = default;
};

/// Channels of d that get `high` bits so that the mean is `bits`, all others getting `low`: n_out
/// of references.md#turboquant-corrections, section 7.1. high > low.
constexpr double outlier_channels(double bits, int high, int low, int d) {
  return (bits - low) / (high - low) * d;
}

}  // namespace axelram::turboquant

namespace axelram {

template <>
struct EnumNames<turboquant::Kind> {
  static constexpr EnumRow<turboquant::Kind> rows[] = {
      {turboquant::Kind::mse, "mse", "the nearest level of the codebook"},
      {turboquant::Kind::prod, "prod",
       "a codebook of one bit less, and the signs of the projected residual (QJL)"}};
};
template <>
struct EnumNames<turboquant::RotationKind> {
  static constexpr EnumRow<turboquant::RotationKind> rows[] = {
      {turboquant::RotationKind::hadamard, "hadamard", "random signs and a Hadamard matrix"},
      {turboquant::RotationKind::gaussian_qr, "gaussian-qr",
       "a random orthogonal matrix: Gaussian numbers, orthonormalised"}};
};
template <>
struct EnumNames<turboquant::ProjectionKind> {
  static constexpr EnumRow<turboquant::ProjectionKind> rows[] = {
      {turboquant::ProjectionKind::gaussian, "gaussian", "independent Gaussian numbers"},
      {turboquant::ProjectionKind::orthogonal, "orthogonal", "a random orthogonal matrix"},
      {turboquant::ProjectionKind::hadamard, "hadamard", "random signs and a Hadamard matrix"}};
};
template <>
struct EnumNames<turboquant::Scale> {
  static constexpr EnumRow<turboquant::Scale> rows[] = {
      {turboquant::Scale::norm, "norm", "the norm of the vector, as in the paper"},
      {turboquant::Scale::matched, "matched",
       "a reconstruction as long as the vector (norm correction)"},
      {turboquant::Scale::mse, "mse", "the reconstruction nearest to the vector"},
      {turboquant::Scale::unbiased, "unbiased",
       "the vector's product with its reconstruction is its square"}};
};

}  // namespace axelram
