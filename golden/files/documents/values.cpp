#include "values.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

bool is_whole_number(const std::string& text) {
  const std::size_t first = text.rfind('-', 0) == 0 ? 1 : 0;
  if (text.size() == first || text.find_first_not_of("0123456789", first) != std::string::npos)
    return false;
  return text[first] != '0' || text.size() == 1;
}

/// Nothing if the number does not fit T.
template <class T>
std::optional<T> parse(const std::string& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Throws if the value is not a whole number; nothing if it does not fit T.
template <class T>
std::optional<T> whole_number(const DocumentValue& value, const std::string& origin, T example) {
  if (!value.plain || !is_whole_number(value.text))
    reject(value, origin,
           "it must be a whole number in plain decimal, such as " + std::to_string(example));
  return parse<T>(value.text);
}

std::string as_written(const DocumentValue& value) {
  return value.plain ? printable(value.text) : "the text \"" + printable(value.text) + "\"";
}

}  // namespace

void reject(const DocumentValue& value, const std::string& origin, const std::string& what) {
  fail_at(origin, value.line, value.key + " is " + as_written(value) + "; " + what);
}

int integer_of(const DocumentValue& value, const std::string& origin, int example, int low,
               int high) {
  const std::optional<int> number = whole_number(value, origin, example);
  if (!number || *number < low || *number > high)
    reject(value, origin, "it must lie in " + std::to_string(low) + ".." + std::to_string(high));
  return *number;
}

std::uint64_t unsigned_of(const DocumentValue& value, const std::string& origin,
                          std::uint64_t example) {
  const std::optional<std::uint64_t> number = whole_number(value, origin, example);
  if (!number)
    reject(value, origin,
           "it must lie in 0.." + std::to_string(std::numeric_limits<std::uint64_t>::max()));
  return *number;
}

double positive_of(const DocumentValue& value, const std::string& origin, double example) {
  double number = 0;
  const char* const last = value.text.data() + value.text.size();
  const auto [end, error] = std::from_chars(value.text.data(), last, number);
  if (!value.plain || error == std::errc::invalid_argument || end != last)
    reject(value, origin, "it must be a decimal number, such as " + shortest(example));
  if (error != std::errc() || !std::isfinite(number) || number <= 0)
    reject(value, origin, "it must be finite and above 0, such as " + shortest(example));
  return number;
}

void check_flag(const DocumentValue& value, const std::string& origin) {
  if (!value.plain || value.text != "true")
    reject(value, origin, "it can only be true; otherwise leave the key out");
}

std::string file_of(const DocumentValue& value, const std::string& origin) {
  if (value.text.empty()) reject(value, origin, "it must name a file");
  return value.text;
}

void reject_choice(const DocumentValue& value, const std::string& origin,
                   const std::vector<std::string>& names) {
  const std::string meant = did_you_mean(value.text, names);
  reject(value, origin, "it must be " + any_of(names) + (meant.empty() ? "" : "; " + meant));
}

std::string quoted(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace axelram::files
