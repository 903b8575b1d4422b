#pragma once

#include <cstddef>
#include <string_view>

namespace axelram::tokens {

constexpr char32_t kNoCharacter = 0xFFFFFFFF;

/// The character at byte `i` of a text, and `i` moves behind it; kNoCharacter where there is no
/// UTF-8.
char32_t next_character(std::string_view text, std::size_t& i);

/// The offset of the first byte that begins no UTF-8 (RFC 3629); the size of a text that is fine.
std::size_t first_invalid(std::string_view text);

}  // namespace axelram::tokens
