#include "tools/version.hpp"

#include <cctype>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace axelram::sim {
namespace {

bool is_digit(const std::string& text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

/// Digits from `at` on, and parts behind dots.
std::string number_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (is_digit(text, end) || (end > at && text[end] == '.' && is_digit(text, end + 1))) ++end;
  return text.substr(at, end - at);
}

std::vector<long> parts_of(const std::string& version) {
  std::vector<long> parts;
  std::istringstream text(version);
  for (std::string part; std::getline(text, part, '.');)
    parts.push_back(std::strtol(part.c_str(), nullptr, 10));
  return parts;
}

}  // namespace

Version version_in(const std::string& printed, const std::string& title) {
  std::vector<std::string> lines;
  std::istringstream text(printed);
  for (std::string line; std::getline(text, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  if (lines.empty()) return {};
  for (const std::string& line : lines)
    if (const std::size_t at = line.find(title + " ");
        at != std::string::npos && is_digit(line, at + title.size() + 1))
      return {line, number_at(line, at + title.size() + 1)};
  for (const std::string& line : lines)
    if (is_digit(line, 0)) return {line, number_at(line, 0)};
  return {lines.front(), ""};
}

bool serves(const std::string& version, const std::string& least) {
  return version.empty() || parts_of(version) >= parts_of(least);
}

}  // namespace axelram::sim
