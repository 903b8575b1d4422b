#include <cstring>
#include <sstream>

#include "axelram/files/errors.hpp"
#include "axelram/rtl/layout.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

constexpr const char* kCommonCore = "common";
constexpr const char* kCoreVersion = "0.1.0";

/// Name of a FuseSoC core: vendor, library, name and version.
std::string core_name(const std::string& name) { return "axelram::" + name + ":" + kCoreVersion; }

/// Verilator 5.006 replaces a name of a module of more than 127 characters, and then does not find
/// the top, which adds four.
constexpr std::size_t kLongestPrefix = 120;

/// The error that names which begin with that of the macro are not right: what is wrong.
files::InputError wrong_name(const files::Config& config, const std::string& what) {
  const std::string place = config.name_place.empty() ? "macro.name" : config.name_place;
  return files::InputError(place + ": names of modules begin with that of the macro" +
                           (config.named ? "" : ", here of its file") + ", as " + prefix(config) +
                           ", " + what + "; give another macro.name");
}

}  // namespace

void check_prefix(const files::Config& config) {
  const std::size_t length = prefix(config).size();
  if (length > kLongestPrefix)
    throw wrong_name(config, "which has " + std::to_string(length) + " characters, and may have " +
                                 std::to_string(kLongestPrefix));
}

void check_core_name(const files::Config& config) {
  if (prefix(config) == kCommonCore)
    throw wrong_name(config, "which the FuseSoC core of the modules of all macros has, " +
                                 core_name(kCommonCore));
}

std::string file_list_text(const std::vector<std::string>& sources) {
  std::string text = "+incdir+" + std::string(kCommonFolder, std::strlen(kCommonFolder) - 1) + "\n";
  for (const std::string& source : sources) text += source + "\n";
  return text;
}

std::string common_core_text(const std::vector<GeneratedFile>& common) {
  std::string text =
      "CAPI=2:\nname: " + core_name(kCommonCore) +
      "\ndescription: Modules that the smart SRAM macros of every configuration share\n\n"
      "filesets:\n  rtl:\n    file_type: systemVerilogSource\n    files:\n";
  for (const GeneratedFile& file : common)
    text += "      - " + file.path +
            (file.path.rfind(".svh") != std::string::npos ? ": {is_include_file: true}" : "") +
            "\n";
  return text + "\ntargets:\n  default:\n    filesets: [rtl]\n";
}

std::vector<std::string> vector_files(const Design& design) {
  const std::string stem = "vectors/" + design.prefix;
  if (design.config.attention.given)
    return {stem + "_operations.hex", stem + "_outputs.hex", stem + "_scores.hex"};
  return {stem + "_beats.hex", stem + "_scores.hex"};
}

std::string core_text(const Design& design, const std::vector<std::string>& sources) {
  std::ostringstream text;
  text << "CAPI=2:\nname: " << core_name(design.prefix)
       << "\ndescription: Smart SRAM macro, configuration " << design.config.name
       << "\n\nfilesets:\n  rtl:\n    depend: [axelram::" << kCommonCore
       << "]\n"
          "    file_type: systemVerilogSource\n    files:\n";
  for (const std::string& source : sources)
    if (source.rfind(kCommonFolder, 0) != 0) text << "      - " << source << "\n";
  text << "  constraints:\n    files:\n      - axelram.sdc: {file_type: SDC}\n\n"
          "  test:\n    file_type: systemVerilogSource\n    files:\n      - tb/"
       << design.prefix << "_tb.sv\n";
  for (const std::string& file : vector_files(design))
    text << "      - " << file << ": {file_type: user, copyto: " << file << "}\n";
  text << "\ntargets:\n"
          "  default: &default\n"
          "    filesets: [rtl, constraints]\n"
          "    toplevel: "
       << design.prefix
       << "_top\n"
          "  sim:\n"
          "    filesets: [rtl, test]\n"
          "    toplevel: "
       << design.prefix
       << "_tb\n"
          "    default_tool: icarus\n"
          "    tools:\n"
          "      icarus: {iverilog_options: [-g2012]}\n";
  text << "  lint:\n"
          "    <<: *default\n"
          "    default_tool: verilator\n"
          "    tools:\n"
          "      verilator:\n"
          "        mode: lint-only\n"
          "        verilator_options: [-Wall, --unroll-count, '1024', --unroll-stmts, '200000']\n";
  return text.str();
}

namespace {

std::string test_bench_lines(const std::string& name) {
  return "Either line runs the test bench in this directory and ends with PASS:\n\n"
         "```\n"
         "iverilog -g2012 -o tb.vvp -s " +
         name + "_tb -f axelram.f tb/" + name +
         "_tb.sv && vvp -n tb.vvp\n"
         "verilator --binary --unroll-count 1024 --unroll-stmts 200000 --top-module " +
         name + "_tb -f axelram.f tb/" + name + "_tb.sv && obj_dir/V" + name +
         "_tb\n"
         "```\n";
}

}  // namespace

std::string readme_text(const Design& design) {
  const std::string& name = design.prefix;
  return "# " + name + "_top\n\nSmart SRAM macro, configuration `" + design.config.name +
         "`, generated by axelram.\n\n"
         "| file | content |\n|---|---|\n"
         "| `rtl/" +
         name +
         "_*.sv` | package, ROMs and top of this macro |\n"
         "| `rtl/common/` | modules that every macro shares |\n"
         "| `axelram.f` | sources in order of dependency |\n"
         "| `axelram.json` | widths, latencies, constants and ports |\n"
         "| `axelram.sdc` | timing constraints |\n"
         "| `views/` | for other flows: `memories.json` asks for the SRAMs, stubs of which are "
         "`.v`, `.lib` and `.lef`; `axelram_sram_1r1w.sv` uses them, with the sources of "
         "`views/axelram.f`; `config.mk` is for OpenROAD-flow-scripts |\n"
         "| `axelram.core`, `axelram_common.core` | FuseSoC cores |\n"
         "| `config.yaml` | the configuration |\n" +
         (design.layout.code
              ? "| `" + name + "_code.h` | tables of the code for C, C++ and CUDA |\n"
              : "") +
         "| `tb/`, `vectors/` | test bench, and what golden, the model of the macro, expects |\n" +
         "\nComments cite `bit-contract.md`, which states every value to the last bit, and "
         "`references.md`, the papers. Both are documents of axelram.\n\n" +
         test_bench_lines(name);
}

std::string constraints_text(const Design& design) {
  std::ostringstream text;
  text << "# Timing constraints of " << design.prefix << "_top, configuration "
       << design.config.name
       << ". Set the period to your clock, in ns.\n"
          "set period "
       << kPeriod
       << "\n"
          "create_clock -name clk_i -period $period [get_ports clk_i]\n"
          "set_input_delay [expr 0.2 * $period] -clock clk_i [all_inputs]\n"
          "set_output_delay [expr 0.2 * $period] -clock clk_i [all_outputs]\n"
          "set_input_delay 0 -clock clk_i [get_ports clk_i]\n"
          "# The release of the reset is synchronised, so that its recovery is timed inside.\n"
          "set_false_path -from [get_ports rst_ni]\n";
  return text.str();
}

}  // namespace axelram::rtl
