#include "axelram/faults/text.hpp"

#include <charconv>
#include <cmath>

namespace axelram::faults {
namespace {

constexpr double kMaxUpsetWeight = 1e9;  // sums of weights stay finite

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<Width>> parse_widths(const std::string& text) {
  std::vector<Width> widths;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> pair = split(part, ':');
    if (pair.size() != 2) return std::nullopt;
    const std::optional<double> bits = parse_number(pair[0]), weight = parse_number(pair[1]);
    if (!bits || !weight || *weight <= 0 || *weight > kMaxUpsetWeight) return std::nullopt;
    if (*bits < 1 || *bits > 32 || *bits != std::floor(*bits)) return std::nullopt;
    for (const Width& width : widths)
      if (width.bits == static_cast<int>(*bits)) return std::nullopt;
    widths.push_back({static_cast<int>(*bits), *weight});
  }
  return widths;
}

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string widths_text(const std::vector<Width>& widths) {
  std::string text;
  for (const Width& width : widths)
    text +=
        (text.empty() ? "" : ",") + std::to_string(width.bits) + ":" + number_text(width.weight);
  return text;
}

}  // namespace axelram::faults
