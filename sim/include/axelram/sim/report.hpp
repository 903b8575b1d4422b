#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/names.hpp"

namespace axelram::sim {

/// How a figure was obtained: computed from the configuration, measured on data, estimated by a
/// model, or not available.
enum class Method { counted, measured, estimated, not_available };

struct ReportLine {
  std::string section;  ///< heading of the text
  std::string name;     ///< unique, snake_case
  std::variant<std::monostate, std::uint64_t, double> value;
  std::string unit;
  Method method = Method::counted;
  std::optional<double> paper;  ///< figure of the paper for this configuration
  std::string note;
};

/// What a report asks of Yosys: nothing, the operators and the storage of the netlist (half a
/// minute), or these and the gates of units and codes (minutes).
enum class Synthesis { none, operators, gates };

/// Operations, hardware, memory and cycles of a configuration; the cost of each code; what Yosys
/// measures; accuracy of the macro on Gaussian data and on the trace, if any.
/// Operations per vector and units of hardware are separate lines. Throws files::EnvironmentError
/// if Yosys is needed and missing.
std::vector<ReportLine> report(const files::Config& config,
                               const std::optional<files::Trace>& trace,
                               Synthesis synthesis = Synthesis::none);

/// Tables for people, one for each section.
std::string report_text(const std::vector<ReportLine>& lines);

/// A list of {name, value, unit, method, paper, note}.
std::string report_json(const std::vector<ReportLine>& lines);

}  // namespace axelram::sim

namespace axelram {

template <>
struct EnumNames<sim::Method> {
  static constexpr EnumRow<sim::Method> rows[] = {
      {sim::Method::counted, "counted", "computed from the configuration"},
      {sim::Method::measured, "measured", "measured on data"},
      {sim::Method::estimated, "estimated", "estimated by a model"},
      {sim::Method::not_available, "n/a", "not available"}};
};

}  // namespace axelram
