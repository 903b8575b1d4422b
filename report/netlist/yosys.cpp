#include "netlist/yosys.hpp"

#include "axelram/files/errors.hpp"
#include "axelram/sim/process.hpp"

namespace axelram::report {

void run_yosys(const std::string& folder, const std::string& script, const std::string& subject,
               const std::function<void(const std::string&)>& line) {
  sim::require_tool("yosys");
  std::string last;
  const int status = sim::run_command(
      "cd " + sim::quoted(folder) + " && yosys -p \"" + script + "\"", [&](const auto& text) {
        if (!text.empty()) last = text;
        line(text);
      });
  if (status != 0) throw files::EnvironmentError("yosys failed on " + subject + ": " + last);
}

}  // namespace axelram::report
