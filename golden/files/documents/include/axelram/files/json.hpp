#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace axelram::files {

/// The JSON document of a file. Throws InputError for a file that cannot be read, for text that is
/// not JSON (with the byte), and for lists and objects nested more than 64 deep: callers follow the
/// nesting by recursion. Whoever includes this header links nlohmann_json.
nlohmann::json read_json(const std::string& path);

}  // namespace axelram::files
