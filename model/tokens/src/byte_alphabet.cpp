#include "byte_alphabet.hpp"

#include <array>

namespace axelram::tokens {
namespace {

constexpr char32_t kShifted = 0x100;  ///< the first character of a byte that is not printable
constexpr std::size_t kCharacters = 0x144;

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int, kCharacters> byte{};

  Alphabet() {
    byte.fill(-1);
    char32_t next = kShifted;
    for (unsigned b = 0; b < 256; ++b) {
      const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b != 0xAD);
      character[b] = printable ? static_cast<char32_t>(b) : next++;
      byte[character[b]] = static_cast<int>(b);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

std::string byte_character(std::uint8_t byte) {
  const char32_t c = alphabet().character[byte];
  if (c < 0x80) return {static_cast<char>(c)};
  return {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
}

std::optional<std::string> bytes_of(std::string_view characters) {
  std::string bytes;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    std::size_t c = static_cast<unsigned char>(characters[i]);
    if (c >= 0x80) {  // all characters of the alphabet beyond ASCII have two bytes in UTF-8
      if ((c & 0xE0) != 0xC0 || ++i == characters.size()) return std::nullopt;
      c = (c & 0x1F) << 6 | (static_cast<unsigned char>(characters[i]) & 0x3F);
    }
    if (c >= kCharacters || alphabet().byte[c] < 0) return std::nullopt;
    bytes += static_cast<char>(alphabet().byte[c]);
  }
  return bytes;
}

std::string byte_piece(std::uint8_t byte) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace axelram::tokens
