#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axelram/report/line.hpp"

namespace axelram::report {

using Lines = std::vector<Line>;

/// Adds the lines of one section.
class Section {
 public:
  Section(std::vector<Line>* lines, std::string title) : lines_(lines), title_(std::move(title)) {}

  void count(const std::string& name, std::uint64_t value, const std::string& unit,
             const std::string& note, std::optional<double> paper = {}) {
    lines_->push_back({title_, name, value, unit, Method::counted, paper, note});
  }
  void count(const std::string& name, int value, const std::string& unit, const std::string& note,
             std::optional<double> paper = {}) {
    count(name, static_cast<std::uint64_t>(value), unit, note, paper);
  }
  /// A figure with a fraction. NaN becomes n/a.
  void figure(const std::string& name, double value, const std::string& unit, Method method,
              const std::string& note, std::optional<double> paper = {}) {
    if (std::isfinite(value))
      lines_->push_back({title_, name, value, unit, method, paper, note});
    else
      missing(name, unit, "not finite on this data");
  }
  void missing(const std::string& name, const std::string& unit, const std::string& note) {
    lines_->push_back({title_, name, {}, unit, Method::not_available, {}, note});
  }

 private:
  std::vector<Line>* lines_;
  std::string title_;
};

}  // namespace axelram::report
