#pragma once

#include <cstdint>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/parameters.hpp"

namespace axelram::run {

/// Result of a configuration without tokens and queries: sizes and metadata.
files::Result empty_result(const files::Config& config);

/// Appends the rows of a record from outside: its indices, levels and norm, and 0 for what a record
/// does not tell. `record` and `codeword` are left to the caller.
void append_record(const Parameters& parameters, const std::uint8_t* record, files::Result* result);

}  // namespace axelram::run
