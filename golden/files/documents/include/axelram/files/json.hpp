#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace axelram::files {

/// The JSON document of a file. Throws InputError for a file that cannot be read, for text that is
/// not JSON (with the byte), and for lists and objects nested more than 64 deep: callers follow the
/// nesting by recursion. Whoever includes this header links nlohmann_json.
nlohmann::json read_json(const std::string& path);

/// The same of a text; `path` names it in messages.
nlohmann::json json_of(std::string_view text, const std::string& path);

}  // namespace axelram::files
