#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram::files {

/// Row [layer, head] of `signs` I8 [layers, heads, d], all -1 or +1. Throws InputError.
std::vector<std::int8_t> load_signs(const std::string& path, const Parameters& parameters,
                                    int layer, int head);

/// Row [layer, head] of `center` [layers, heads, d] in the element format, all finite. Throws
/// InputError.
std::vector<std::uint16_t> load_center(const std::string& path, const Parameters& parameters,
                                       int layer, int head);

}  // namespace axelram::files
