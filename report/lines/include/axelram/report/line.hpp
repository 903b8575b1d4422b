#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "axelram/names.hpp"

namespace axelram::report {

/// How a figure was obtained: computed from the configuration, measured on data, estimated by a
/// model, or not available.
enum class Method { counted, measured, estimated, not_available };

/// Source of a measured figure.
struct Provenance {
  std::string tools;    ///< names and versions
  std::string library;  ///< file, with the beginning of its digest
  std::string corner;
  std::string rtl;  ///< digest of the generated RTL
};

struct Line {
  std::string section;  ///< heading of the text
  std::string name;     ///< unique, snake_case
  std::variant<std::monostate, std::uint64_t, double> value;
  std::string unit;
  Method method = Method::counted;
  std::optional<double> paper;  ///< figure of the paper for this configuration
  std::string note;
  std::string subject = {};  ///< the module that `name` begins with; "": the macro
  std::optional<Provenance> provenance = {};
};

/// Tables for people, one for each section. Figures of modules are a table of one row each.
std::string text(const std::vector<Line>& lines);

/// A list of {name, value, unit, method, paper, note}; with provenance {tools, library, corner,
/// rtl}, if a tool measured the figure in a library.
std::string json(const std::vector<Line>& lines);

}  // namespace axelram::report

namespace axelram {

template <>
struct EnumNames<report::Method> {
  static constexpr EnumRow<report::Method> rows[] = {
      {report::Method::counted, "counted", "computed from the configuration"},
      {report::Method::measured, "measured", "measured on data"},
      {report::Method::estimated, "estimated", "estimated by a model"},
      {report::Method::not_available, "n/a", "not available"}};
};

}  // namespace axelram
