#pragma once

#include <string>

#include "axelram/files/liberty.hpp"

namespace axelram::files {

/// "OC, 1.8 V, 25 C", of the operating conditions of this name; of the nominal ones for "".
std::string corner_in_words(const LibertyGroup& library, const std::string& conditions);

}  // namespace axelram::files
