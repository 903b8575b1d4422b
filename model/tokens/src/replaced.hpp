#pragma once

#include <string>
#include <string_view>

namespace axelram::tokens {

/// SentencePiece's sign for a space.
inline constexpr char kSpaceMark[] = "\u2581";

/// `in` with each `from`, which is not empty, replaced.
inline std::string replaced(std::string_view in, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t next = in.find(from, at);
    result += in.substr(at, next - at);
    if (next == std::string_view::npos) return result;
    result += to;
    at = next + from.size();
  }
}

}  // namespace axelram::tokens
