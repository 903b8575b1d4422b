#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

/// Lines that the programs of scripts/gpu_check write and gpu_report reads: one flat JSON object
/// each, keys in order.
namespace bench {

using Json = nlohmann::ordered_json;

/// `value` to six significant digits; null if it is not finite.
inline Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return std::strtod(digits, nullptr);
}
inline Json rounded(const std::optional<double>& value) {
  return value ? rounded(*value) : Json(nullptr);
}

/// The member `key`; nothing if it is missing or of another type.
inline std::optional<std::string> text_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}
inline std::optional<double> number_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// Nothing if `text` is not a flat JSON object.
inline std::optional<Json> parse_line(const std::string& text) {
  Json line = Json::parse(text, nullptr, false);
  if (!line.is_object()) return std::nullopt;
  for (const auto& member : line)
    if (!member.is_primitive()) return std::nullopt;
  return line;
}

}  // namespace bench
