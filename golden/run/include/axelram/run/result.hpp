#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::run {

/// Result of a trace with the metadata of a macro, all tensors allocated.
files::Result empty_result(const files::Config& config, const files::Trace& trace);

/// Fills the rows of a token that came as a record from outside with what it tells: indices,
/// levels, residual signs and norms. `records` and `codewords` are left to the caller, and all else
/// that belongs to a key stays 0.
void fill_record(const std::uint8_t* record, std::size_t token, files::Result* result);

}  // namespace axelram::run
