#pragma once

#include <string>

#include "documents/sections.hpp"

namespace axelram::files {

/// Moves keys that stand in the section of earlier versions (ConfigKey::former_section) to their
/// own, and states the new names in one note. Throws InputError if that section is written too.
void move_former_keys(const std::string& origin, Document* document);

}  // namespace axelram::files
