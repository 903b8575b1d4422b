#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace axelram::tokens {

/// GPT-2 (Radford et al., 2019, encoder.py) writes each byte of a piece as a printable character:
/// '!'..'~', U+00A1..U+00AC and U+00AE..U+00FF as themselves, the other 68 bytes in
/// ascending order as U+0100..U+0143. The character of a byte, in UTF-8:
std::string byte_character(std::uint8_t byte);

/// The bytes of a text in this alphabet, or nothing if it contains another character.
std::optional<std::string> bytes_of(std::string_view characters);

/// SentencePiece's piece of a byte: <0x41>.
std::string byte_piece(std::uint8_t byte);

}  // namespace axelram::tokens
