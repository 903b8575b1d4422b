#pragma once

#include <string>

#include "axelram/files/sram.hpp"

namespace axelram::files {

/// The SRAM of an output folder of OpenRAM: NAME_CORNER.lib, and beside it NAME.lef for the area
/// and NAME.py for the number of words, if they are there. Throws InputError.
SramMacro read_openram(const std::string& folder, const SramSettings& settings);

/// Takes the area of a macro from a LEF file.
void add_lef(const std::string& path, SramMacro* macro);

}  // namespace axelram::files
