#pragma once

#include <string>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/rows.hpp"
#include "axelram/kernels/write.hpp"

namespace axelram::kernels {

/// The unit of a copy's score is that of the records' scores only then.
constexpr const char* kUnbiasedCopies = "copies need constants.unbiased";

/// "keys [4096, 8, 128]".
std::string shape_text(const char* name, const ElementRows& rows, int head_dim);

/// Throw DeviceError naming the kernel: for constants out of the range of Parameters; for rows
/// without heads or data, or too many to be counted in 32 bits.
void check_constants(const char* kernel, const MacroConstants& constants);
void check_rows(const char* kernel, const std::string& shapes, const ElementRows& rows);
/// Runs all checks of the write path; returns the rows' shape_text.
std::string check_keys(const char* kernel, const MacroConstants& constants, const ElementRows& keys,
                       const KeyRotations& rotations, const std::uint16_t* center,
                       const WrittenRows& out);
/// Throws DeviceError for constants of records of two parts.
void require_one_part(const char* kernel, const MacroConstants& constants);
/// Throws DeviceError for rotations that lack a vector of these constants.
void check_rotations(const char* kernel, const std::string& shapes, const MacroConstants& constants,
                     const KeyRotations& rotations);
void require(bool condition, const char* kernel, const std::string& shapes, const char* what);

}  // namespace axelram::kernels
