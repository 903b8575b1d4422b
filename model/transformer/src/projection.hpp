#pragma once

#include <cstddef>
#include <vector>

#include "axelram/checkpoints/matrix.hpp"
#include "axelram/transformer/workers.hpp"

namespace axelram::transformer {

enum class Into { overwrite, add };

/// y = x W^T + bias, or y += that: x [rows, inputs], y [rows, outputs], bias of `outputs` values or
/// empty. Work is cut into tiles of fixed size, so the workers' number does not show in y.
void project(Workers& workers, const checkpoints::Matrix& weights, const std::vector<float>& bias,
             const float* x, std::size_t rows, float* y, Into into = Into::overwrite);

}  // namespace axelram::transformer
