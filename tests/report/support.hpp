#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/report/report.hpp"
#include "check.hpp"

/// Lines of reports, and their values.
namespace axelram::report {

inline files::Config config_of(const std::string& yaml) {
  return files::parse_config(yaml, "report.yaml", ".");
}

inline std::vector<Line> report_of(const std::string& yaml) { return report(config_of(yaml), {}); }

inline std::map<std::string, Line> by_name(const std::vector<Line>& lines) {
  std::map<std::string, Line> named;
  for (const Line& line : lines)
    CHECK_MESSAGE(named.emplace(line.name, line).second, line.name, " is there twice");
  return named;
}

inline const Line& line_of(const std::vector<Line>& lines, const std::string& name) {
  const auto found = std::ranges::find(lines, name, &Line::name);
  REQUIRE_MESSAGE(found != lines.end(), name);
  return *found;
}

inline std::uint64_t count_of(const std::vector<Line>& lines, const std::string& name) {
  return std::get<std::uint64_t>(line_of(lines, name).value);
}

inline double figure_of(const std::vector<Line>& lines, const std::string& name) {
  return std::get<double>(line_of(lines, name).value);
}

/// Relative, as doctest's own scale of 1 is not.
inline doctest::Approx near(double value, double relative) {
  return doctest::Approx(value).epsilon(relative).scale(0);
}

}  // namespace axelram::report
