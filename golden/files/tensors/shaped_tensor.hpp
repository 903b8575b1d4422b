#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// An extent that may be anything.
constexpr std::uint64_t kAnyExtent = UINT64_MAX;

/// Throws InputError, "FILE: tensor NAME: what".
[[noreturn]] void fail_at_tensor(const Safetensors& file, const std::string& name,
                                 const std::string& what);

/// The tensor of this name. Throws InputError if it is missing or has another type or shape.
const Tensor& shaped_tensor(const Safetensors& file, const std::string& name, DataType type,
                            const Shape& shape);

}  // namespace axelram::files
