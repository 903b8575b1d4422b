#include "text.hpp"

#include <algorithm>
#include <cstdio>

namespace axelram::cli {

namespace {

std::string aligned(const std::vector<std::vector<std::string>>& rows, bool numbers) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - row[c].size(), ' ');
      if (c != 0) text += "  ";
      text += numbers && c != 0 ? padding + row[c] : row[c] + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) { return aligned(rows, true); }

std::string left_table(const std::vector<std::vector<std::string>>& rows) {
  return aligned(rows, false);
}

std::string exact(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

const char* verdict(bool holds) { return holds ? "holds" : "DOES NOT HOLD"; }

std::string agreement(report::Synthesis synthesis, const std::vector<std::string>& disagreements) {
  if (synthesis == report::Synthesis::none) return "";
  std::string text =
      std::string("netlist equals the closed forms: ") + verdict(disagreements.empty()) + "\n";
  for (const std::string& line : disagreements) text += "  " + line + "\n";
  return text;
}

}  // namespace axelram::cli
