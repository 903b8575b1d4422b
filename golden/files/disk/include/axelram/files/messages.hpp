#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace axelram::files {

/// Bytes of the UTF-8 character at text[i], or 0 if it is malformed.
std::size_t utf8_length(std::string_view text, std::size_t i);

/// The offset of the first byte that is no UTF-8 (RFC 3629), or the size of a valid text.
std::size_t first_invalid_utf8(std::string_view text);

/// The text without the byte order mark of UTF-8 in front of it, if it has one.
std::string_view without_byte_order_mark(std::string_view text);

/// The text on one line: control characters and bytes that are no UTF-8 escaped, the middle of a
/// text of more than `longest` bytes omitted.
std::string printable(std::string_view text, std::size_t longest = 200);

/// printable(text) between single quotation marks.
std::string in_quotes(std::string_view text);

/// "a, b or c".
std::string any_of(const std::vector<std::string>& names);

/// The name that `text` most likely misspells, or "" if none is similar.
std::string nearest(std::string_view text, const std::vector<std::string>& names);

/// At most `most` similar names, the nearest first.
std::vector<std::string> nearest_names(std::string_view text, const std::vector<std::string>& names,
                                       std::size_t most);

/// "did you mean 'hamming84'?", or "" if no name is similar.
std::string did_you_mean(std::string_view text, const std::vector<std::string>& names);

}  // namespace axelram::files
