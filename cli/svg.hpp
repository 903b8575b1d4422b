#pragma once

#include <cstdio>
#include <string>

#include "axelram/files/messages.hpp"

namespace axelram::cli {

/// printf into a string of at most 511 bytes.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

/// A text as the content of an XML element, which holds no control characters.
inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : files::printable(text))
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

}  // namespace axelram::cli
