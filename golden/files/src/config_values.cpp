#include "config_values.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>

#include "axelram/code.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

bool is_whole_number(const std::string& text) {
  const std::size_t first = text.rfind('-', 0) == 0 ? 1 : 0;
  if (text.size() == first || text.find_first_not_of("0123456789", first) != std::string::npos)
    return false;
  return text[first] != '0' || text.size() == 1;
}

/// Nothing where the number does not fit T.
template <class T>
std::optional<T> parse(const std::string& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string as_written(const ConfigValue& value) {
  return value.plain ? printable(value.text) : "the text \"" + printable(value.text) + "\"";
}

}  // namespace

void ConfigValues::fail(const ConfigValue& value, const std::string& what) const {
  throw InputError(origin_ + ":" + std::to_string(value.line) + ": " + value.key + " is " +
                   as_written(value) + "; " + what);
}

int ConfigValues::integer(const std::string& key, int fallback, int low, int high) const {
  const ConfigValue* value = find(key);
  if (!value) return fallback;
  if (!value->plain || !is_whole_number(value->text))
    fail(*value, "it must be a whole number in plain decimal, such as " + std::to_string(fallback));
  const std::optional<int> number = parse<int>(value->text);
  if (!number || *number < low || *number > high)
    fail(*value, "it must lie in " + std::to_string(low) + ".." + std::to_string(high));
  return *number;
}

std::uint64_t ConfigValues::unsigned_integer(const std::string& key, std::uint64_t fallback) const {
  const ConfigValue* value = find(key);
  if (!value) return fallback;
  if (!value->plain || !is_whole_number(value->text))
    fail(*value, "it must be a whole number in plain decimal, such as " + std::to_string(fallback));
  const std::optional<std::uint64_t> number = parse<std::uint64_t>(value->text);
  if (!number)
    fail(*value, "it must lie in 0.." + std::to_string(std::numeric_limits<std::uint64_t>::max()));
  return *number;
}

std::string ConfigValues::choice(const std::string& key, const std::string& fallback,
                                 const std::vector<std::string>& choices) const {
  const ConfigValue* value = find(key);
  if (!value) return fallback;
  for (const std::string& known : choices)
    if (value->text == known) return known;
  const std::string meant = nearest(value->text, choices);
  fail(*value,
       "it must be " + any_of(choices) + (meant.empty() ? "" : "; " + meant + " was meant?"));
}

std::string ConfigValues::code(const std::string& key, const std::string& fallback) const {
  const ConfigValue* value = find(key);
  if (value && value->text.rfind("hsiao_", 0) == 0) try {
      return make_code(value->text).name;
    } catch (const std::invalid_argument& error) {
      fail(*value, error.what());
    }
  return choice(key, fallback, {"none", "hamming74", "hamming84", "golay24", "hsiao_N_K"});
}

std::string ConfigValues::text(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (!value) return "";
  if (value->text.empty()) fail(*value, "it must name a file");
  return value->text;
}

bool ConfigValues::flag(const std::string& key) const {
  const ConfigValue* value = find(key);
  if (!value) return false;
  if (!value->plain || value->text != "true")
    fail(*value, "it can only be true; otherwise leave the key out");
  return true;
}

}  // namespace axelram::files
