#pragma once

#include <cstddef>
#include <string_view>

namespace axelram::tokens {

constexpr char32_t kNoCharacter = 0xFFFFFFFF;

/// The character at byte `i` of a text; `i` moves past it. kNoCharacter for invalid UTF-8.
char32_t next_character(std::string_view text, std::size_t& i);

}  // namespace axelram::tokens
