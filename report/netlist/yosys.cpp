#include "netlist/yosys.hpp"

#include "axelram/sim/tools.hpp"

namespace axelram::report {

void run_yosys(const YosysRun& run) {
  sim::ToolCall call = {.arguments = {"-p", run.script}, .folder = run.folder};
  call.subject = run.subject;
  call.line = run.line;
  sim::ask_tool(sim::kYosys, call);
  for (const std::string& file : run.writes) sim::require_written(sim::kYosys, call, file);
}

std::string read_sources(const std::vector<rtl::GeneratedFile>& generated,
                         const std::string& options) {
  std::string command = "read_verilog -sv " + options;
  for (const std::string& source : rtl::sources_of(generated)) command += " " + source;
  return command;
}

}  // namespace axelram::report
