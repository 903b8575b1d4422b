#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "documents/sections.hpp"
#include "table.hpp"

namespace axelram::files {

/// The rows of section memory.
std::vector<ConfigKey> memory_keys();

/// Rejects keys that the model does not read, and a model without the key that it needs.
void check_memory(const Document& document, const std::string& origin, const Config& config);

/// What the settings name. Errors begin with the line of the key.
MemorySource memory_source(const Document& document, const std::string& origin,
                           const std::string& folder, const MemorySettings& settings);

}  // namespace axelram::files
