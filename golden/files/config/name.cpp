#include "name.hpp"

#include <algorithm>

#include "documents/values.hpp"

namespace axelram::files {
namespace {

constexpr std::size_t kLongestName = 255;  // of a file

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }
bool is_safe(char c) { return is_word(c) || c == '.' || c == '+'; }

}  // namespace

std::string name_of_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot != 0) name.resize(dot);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_safe(c); }, '_');
  return name;
}

std::string wrong_name(const std::string& name) {
  const bool right = !name.empty() && name.size() <= kLongestName &&
                     std::all_of(name.begin(), name.end(), is_safe);
  return right ? "" : "it must be letters, digits, '_', '-', '.' and '+', 255 at most";
}

std::string name_in_yaml(const std::string& name) {
  const bool null = name == "null" || name == "Null" || name == "NULL";
  const bool plain = !name.empty() && is_letter(name[0]) && !null &&
                     std::all_of(name.begin(), name.end(), is_word);
  return plain ? name : quoted(name);
}

}  // namespace axelram::files
