#pragma once

#include "axelram/files/result.hpp"

namespace axelram::files {

/// Metadata of a result.
Metadata metadata_of(const Result& result);

/// Sets what a result of this shape has as metadata. Throws InputError, also for other keys.
void read_metadata(const Safetensors& file, Result* result);

}  // namespace axelram::files
