#include "utf8.hpp"

namespace axelram::tokens {

char32_t next_character(std::string_view text, std::size_t& i) {
  const auto first = static_cast<unsigned char>(text[i++]);
  if (first < 0x80) return first;
  if (first < 0xC2 || first > 0xF4) return kNoCharacter;
  const int continuations = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  char32_t c = first & (0x3FU >> continuations);
  for (int k = 0; k < continuations; ++k) {
    if (i == text.size()) return kNoCharacter;
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return kNoCharacter;
    c = c << 6 | (byte & 0x3FU);
    ++i;
  }
  const bool overlong = c < (continuations == 1 ? 0x80U : continuations == 2 ? 0x800U : 0x10000U);
  const bool surrogate = c >= 0xD800 && c < 0xE000;
  return overlong || surrogate || c > 0x10FFFF ? kNoCharacter : c;
}

}  // namespace axelram::tokens
