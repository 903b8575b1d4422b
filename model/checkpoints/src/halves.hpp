#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "axelram/checkpoints/matrix.hpp"

namespace axelram::checkpoints {

/// Rows first .. first + count - 1 in F16, each value rounded to the nearest: [count, inputs].
/// Throws files::InputError, which begins with `place`, for a value beyond F16.
void to_halves(const Matrix& matrix, std::size_t first, std::size_t count, const std::string& place,
               std::uint16_t* halves);

}  // namespace axelram::checkpoints
