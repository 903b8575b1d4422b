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

/// Source of a measured figure.
struct Provenance {
  std::string tools;    ///< names and versions
  std::string library;  ///< file, with the beginning of its digest
  std::string corner;
  std::string rtl;  ///< digest of the generated RTL
};

struct ReportLine {
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

/// What a report asks of Yosys: nothing, the operators and the storage of the netlist (half a
/// minute), or these and the gates of units and codes (minutes).
enum class Synthesis { none, operators, gates };

struct MappedDesign;
struct DecodingStep;

/// Operations, hardware, memory and cycles of a configuration; the cost of each code; what Yosys
/// measures; cells of `mapped` and a decoding step, if given; accuracy of the macro on Gaussian
/// data and on the trace, if any.
/// Operations per vector and units of hardware are separate lines. Of a macro with attention:
/// operations, memory, cells, cycles and accuracy alone. Throws files::EnvironmentError
/// if Yosys is needed and missing.
std::vector<ReportLine> report(const files::Config& config,
                               const std::optional<files::Trace>& trace,
                               Synthesis synthesis = Synthesis::none,
                               const MappedDesign* mapped = nullptr,
                               const DecodingStep* step = nullptr);

/// Groups of lines that a table over many configurations chooses from.
enum class ReportGroup { operators, memory, cycles, code, accuracy, unit_gates, code_gates };

/// The lines of some groups of report(), with names that depend on no code: instead of lines for
/// each known code, `code_*` of the configuration's own, also without one. Beside the gates of each
/// unit stand their sums, `units_*`. Gates are n/a, with the reason, if `yosys` is false.
std::vector<ReportLine> report_groups(const files::Config& config,
                                      const std::optional<files::Trace>& trace,
                                      const std::vector<ReportGroup>& groups, bool yosys);

/// What `yosys -V` prints, or nothing if it is not installed.
std::optional<std::string> yosys_version();

/// Tables for people, one for each section. Figures of modules are a table of one row each.
std::string report_text(const std::vector<ReportLine>& lines);

/// A list of {name, value, unit, method, paper, note}; with provenance {tools, library, corner,
/// rtl}, if a tool measured the figure in a library.
std::string report_json(const std::vector<ReportLine>& lines);

}  // namespace axelram::sim

namespace axelram {

template <>
struct EnumNames<sim::ReportGroup> {
  static constexpr EnumRow<sim::ReportGroup> rows[] = {
      {sim::ReportGroup::operators, "operators", "operations and units of the hardware"},
      {sim::ReportGroup::memory, "memory", "ROMs, tables, records, registers and the key store"},
      {sim::ReportGroup::cycles, "cycles", "intervals and latencies"},
      {sim::ReportGroup::code, "code", "cost of the configuration's code"},
      {sim::ReportGroup::accuracy, "accuracy", "distortion and errors of scores"},
      {sim::ReportGroup::unit_gates, "unit_gates",
       "gates and flip-flops of units by Yosys, minutes"},
      {sim::ReportGroup::code_gates, "code_gates",
       "gates of encoder and decoder by Yosys, seconds"}};
};

template <>
struct EnumNames<sim::Method> {
  static constexpr EnumRow<sim::Method> rows[] = {
      {sim::Method::counted, "counted", "computed from the configuration"},
      {sim::Method::measured, "measured", "measured on data"},
      {sim::Method::estimated, "estimated", "estimated by a model"},
      {sim::Method::not_available, "n/a", "not available"}};
};

}  // namespace axelram
