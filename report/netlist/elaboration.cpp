#include <fstream>

#include "axelram/files/errors.hpp"
#include "axelram/report/operators.hpp"
#include "netlist/yosys.hpp"

namespace axelram::report {

Elaboration::Elaboration(const std::vector<rtl::GeneratedFile>& generated,
                         const std::string& subject) {
  rtl::write_generated(generated, folder(), true);
  run_yosys(folder(),
            "read_verilog -sv -defer -Irtl/common $(grep -v '^+' axelram.f | tr '\\n' ' ');"
            " hierarchy -check -top $(basename $(tail -n 1 axelram.f) .sv); proc;"
            " write_rtlil elaborated.il; opt_expr; opt_clean; write_rtlil counted.il",
            subject, [](const std::string&) {});
}

Netlist Elaboration::netlist() const {
  std::ifstream text(folder() + "/counted.il");
  return read_rtlil(text);
}

}  // namespace axelram::report
