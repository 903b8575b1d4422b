#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::sim {

/// How a figure came about: from the configuration in closed form; from data that went through the
/// macro; by a model of something else; not at all.
enum class Method { counted, measured, estimated, not_available };

const char* method_name(Method method);  ///< as JSON writes it: "counted", ..., "n/a"

struct ReportLine {
  std::string section;  ///< heading of the text
  std::string name;     ///< unique, snake_case
  std::variant<std::monostate, std::uint64_t, double> value;
  std::string unit;
  Method method = Method::counted;
  std::optional<double> paper;  ///< where the paper has the figure for this configuration
  std::string note;
};

/// Operations, hardware, memory and cycles of a configuration, and the accuracy of its macro on
/// Gaussian data and on the trace, if one is given; what codes add, their gates only with
/// `synthesize` (Yosys, seconds). Operations of a vector and units in the hardware are different
/// lines. Throws files::EnvironmentError where Yosys is needed and missing.
std::vector<ReportLine> report(const files::Config& config,
                               const std::optional<files::Trace>& trace, bool synthesize = false);

/// A table for people, one section after the other.
std::string report_text(const std::vector<ReportLine>& lines);

/// A list of {name, value, unit, method, paper, note}.
std::string report_json(const std::vector<ReportLine>& lines);

}  // namespace axelram::sim
