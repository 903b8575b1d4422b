#pragma once

#include <cstddef>
#include <vector>

#include "axelram/checkpoints/matrix.hpp"
#include "axelram/transformer/workers.hpp"

namespace axelram::transformer {

enum class Into { overwrite, add };

/// y = x W^T + bias, or y += x W^T + bias: x [rows, inputs], y [rows, outputs], bias of `outputs`
/// values or empty. Tiles have a fixed size, so that y does not depend on the number of workers.
void project(Workers& workers, const checkpoints::Matrix& weights, const std::vector<float>& bias,
             const float* x, std::size_t rows, float* y, Into into = Into::overwrite);

}  // namespace axelram::transformer
