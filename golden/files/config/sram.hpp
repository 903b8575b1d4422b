#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "documents/sections.hpp"
#include "table.hpp"

namespace axelram::files {

/// The rows of section sram.
std::vector<ConfigKey> sram_keys();

/// Rejects a model without the key that it needs.
void check_sram(const Document& document, const std::string& origin, const Config& config);

/// What the settings name. Errors begin with the line of the key.
SramSource sram_source(const Document& document, const std::string& origin,
                       const std::string& folder, const SramSettings& settings);

}  // namespace axelram::files
