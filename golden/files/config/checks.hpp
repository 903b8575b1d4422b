#pragma once

#include <string>

#include "axelram/files/config.hpp"
#include "documents/sections.hpp"

namespace axelram::files {

/// Rejects values that exclude each other or have no effect together. `config`: the values of the
/// document, before the files that it names are read. Throws InputError with the line.
void check_combinations(const Document& document, const std::string& origin, const Config& config);

}  // namespace axelram::files
