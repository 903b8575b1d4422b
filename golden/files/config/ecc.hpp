#pragma once

#include <vector>

#include "table.hpp"

namespace axelram::files {

/// Rows of section `ecc`.
std::vector<ConfigKey> ecc_keys();

}  // namespace axelram::files
