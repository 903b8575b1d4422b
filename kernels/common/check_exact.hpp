#pragma once

#include <string>

#include "axelram/kernels/exact.hpp"

namespace axelram::kernels {

/// Throws DeviceError, naming the kernel, for exact rows out of range or without memory.
void check_exact(const std::string& kernel, const ExactRows& rows, bool keys);

}  // namespace axelram::kernels
