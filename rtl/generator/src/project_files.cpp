#include <cstring>
#include <sstream>

#include "generator_internal.hpp"

namespace axelram::rtl {

std::string file_list_text(const std::vector<std::string>& sources) {
  std::string text = "+incdir+" + std::string(kCommonFolder, std::strlen(kCommonFolder) - 1) + "\n";
  for (const std::string& source : sources) text += source + "\n";
  return text;
}

std::string common_core_text(const std::vector<GeneratedFile>& common) {
  std::string text =
      "CAPI=2:\n"
      "name: axelram::common:0.1.0\n"
      "description: Modules that the smart SRAM macros of every configuration share\n\n"
      "filesets:\n  rtl:\n    file_type: systemVerilogSource\n    files:\n";
  for (const GeneratedFile& file : common)
    text += "      - " + file.path +
            (file.path.rfind(".svh") != std::string::npos ? ": {is_include_file: true}" : "") +
            "\n";
  return text + "\ntargets:\n  default:\n    filesets: [rtl]\n";
}

std::string core_text(const Design& design, const std::vector<std::string>& sources) {
  std::ostringstream text;
  text << "CAPI=2:\n"
          "name: axelram::"
       << design.prefix << ":0.1.0\ndescription: Smart SRAM macro, configuration "
       << design.config.name
       << "\n\nfilesets:\n  rtl:\n    depend: [axelram::common]\n"
          "    file_type: systemVerilogSource\n    files:\n";
  for (const std::string& source : sources)
    if (source.rfind(kCommonFolder, 0) != 0) text << "      - " << source << "\n";
  text << "  constraints:\n    files:\n      - axelram.sdc: {file_type: SDC}\n\n"
          "targets:\n"
          "  default: &default\n"
          "    filesets: [rtl, constraints]\n"
          "    toplevel: "
       << design.prefix
       << "_top\n"
          "  lint:\n"
          "    <<: *default\n"
          "    default_tool: verilator\n"
          "    tools:\n"
          "      verilator:\n"
          "        mode: lint-only\n"
          "        verilator_options: [-Wall, --unroll-count, '1024', --unroll-stmts, '200000']\n";
  return text.str();
}

std::string constraints_text(const Design& design) {
  std::ostringstream text;
  text << "# Timing constraints of " << design.prefix << "_top, configuration "
       << design.config.name
       << ". Set the period to your clock, in ns.\n"
          "set period 10.0\n"
          "create_clock -name clk_i -period $period [get_ports clk_i]\n"
          "# Beats pass the exponent comparison before their first register.\n"
          "set_input_delay [expr 0.2 * $period] -clock clk_i [all_inputs]\n"
          "set_output_delay [expr 0.2 * $period] -clock clk_i [all_outputs]\n"
          "set_input_delay 0 -clock clk_i [get_ports clk_i]\n"
          "# The release of the reset is synchronised, so that its recovery is timed inside.\n"
          "set_false_path -from [get_ports rst_ni]\n";
  return text.str();
}

}  // namespace axelram::rtl
