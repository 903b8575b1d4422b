#include <fstream>

#include "axelram/report/operators.hpp"
#include "netlist/yosys.hpp"

namespace axelram::report {

Elaboration::Elaboration(const std::vector<rtl::GeneratedFile>& generated,
                         const std::string& subject) {
  rtl::write_generated(generated, folder(), true);
  YosysRun run = {.folder = folder(), .script = {}, .subject = subject};
  run.script = read_sources(generated, "-defer -Irtl/common") + "; hierarchy -check -top " +
               rtl::top_of(rtl::sources_of(generated)) +
               "; proc; write_rtlil elaborated.il; opt_expr; opt_clean; write_rtlil counted.il";
  run.writes = {"elaborated.il", "counted.il"};
  run_yosys(run);
}

Netlist Elaboration::netlist() const {
  std::ifstream text(folder() + "/counted.il");
  return read_rtlil(text);
}

}  // namespace axelram::report
