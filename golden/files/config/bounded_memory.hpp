#pragma once

#include <string>
#include <vector>

#include "documents/sections.hpp"
#include "table.hpp"

namespace axelram::files {

/// Rows of section memory for a bounded memory (bit-contract.md#memory-parameters).
std::vector<ConfigKey> bounded_memory_keys();

/// Whether the document has one of these keys.
bool has_bounded_memory(const Document& document);

/// Sets the parameters of a bounded memory and, by its slots, max_keys. Rejects another max_keys,
/// attention, and what a memory excludes. Throws InputError with the line.
void finish_bounded_memory(const Document& document, const std::string& origin, Config* config);

}  // namespace axelram::files
