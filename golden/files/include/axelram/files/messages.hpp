#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace axelram::files {

/// The text on one line and without surprises for a terminal: control characters escaped, the
/// middle of an overlong text left out.
std::string printable(std::string_view text);

/// The same between single quotation marks.
std::string in_quotes(std::string_view text);

/// "a, b or c".
std::string any_of(const std::vector<std::string>& names);

/// The name that `text` most likely misspells, or "" if none comes close.
std::string nearest(std::string_view text, const std::vector<std::string>& names);

}  // namespace axelram::files
