#include "axelram/sim/report.hpp"

#include "report_lines.hpp"

namespace axelram::sim {

const char* method_name(Method method) {
  switch (method) {
    case Method::counted:
      return "counted";
    case Method::measured:
      return "measured";
    case Method::estimated:
      return "estimated";
    case Method::not_available:
      break;
  }
  return "n/a";
}

std::vector<ReportLine> report(const files::Config& config,
                               const std::optional<files::Trace>& trace, bool synthesize) {
  std::vector<ReportLine> lines;
  add_operations(config, &lines);
  add_multiplications(config, &lines);
  add_hardware(config, &lines);
  add_memory(config, &lines);
  add_storage(config, &lines);
  add_cycles(config, trace, &lines);
  add_codes(config, synthesize, &lines);
  add_gaussian_accuracy(config, &lines);
  if (trace) add_trace_accuracy(config, *trace, &lines);
  Section(&lines, "area").missing("area", "um^2", "known only after synthesis with a cell library");
  return lines;
}

}  // namespace axelram::sim
