#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/names.hpp"
#include "axelram/report/line.hpp"

namespace axelram::report {

/// Measurements by Yosys that a report includes. none: it does not run. operators: operators and
/// storage of the netlist, half a minute. gates: also the gates of units and codes, minutes.
enum class Synthesis { none, operators, gates };

struct MappedDesign;
struct DecodingStep;

/// Operations, hardware, memory and cycles of a configuration; the cost of each code; what Yosys
/// measures; cells of `mapped` and a decoding step, if given; accuracy of the macro on Gaussian
/// data and on the trace, if any.
/// Operations per vector and units of hardware are separate lines. Of a macro with attention:
/// operations, memory, cells, cycles and accuracy alone. Throws files::EnvironmentError
/// if Yosys is needed and missing.
std::vector<Line> report(const files::Config& config, const std::optional<files::Trace>& trace,
                         Synthesis synthesis = Synthesis::none,
                         const MappedDesign* mapped = nullptr, const DecodingStep* step = nullptr);

/// Groups of lines that a table over many configurations chooses from.
enum class Group { operators, memory, cycles, code, accuracy, unit_gates, code_gates };

/// The lines of some groups of report(), with names that depend on no code: instead of lines for
/// each known code, `code_*` of the configuration's own, also without one. Beside the gates of each
/// unit stand their sums, `units_*`. Gates are n/a, with the reason, if `yosys` is false.
std::vector<Line> groups(const files::Config& config, const std::optional<files::Trace>& trace,
                         const std::vector<Group>& groups, bool yosys);

/// The line of `yosys -V` with the version, or nothing if it is not installed. Throws
/// files::EnvironmentError if it does not answer or is too old.
std::optional<std::string> yosys_version();

}  // namespace axelram::report

namespace axelram {

template <>
struct EnumNames<report::Group> {
  static constexpr EnumRow<report::Group> rows[] = {
      {report::Group::operators, "operators", "operations and units of the hardware"},
      {report::Group::memory, "memory", "ROMs, tables, records, registers and the key store"},
      {report::Group::cycles, "cycles", "intervals and latencies"},
      {report::Group::code, "code", "cost of the configuration's code"},
      {report::Group::accuracy, "accuracy", "distortion and errors of scores"},
      {report::Group::unit_gates, "unit_gates", "gates and flip-flops of units by Yosys, minutes"},
      {report::Group::code_gates, "code_gates", "gates of encoder and decoder by Yosys, seconds"}};
};

}  // namespace axelram
