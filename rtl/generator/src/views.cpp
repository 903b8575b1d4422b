#include "generator_internal.hpp"
#include "lists.hpp"

namespace axelram::rtl {
namespace {

constexpr const char* kMemory = "rtl/common/axelram_sram_1r1w.sv";
constexpr const char* kWrapper = "views/axelram_sram_1r1w.sv";

/// axelram_sram_1r1w with an SRAM for each shape in place of registers.
std::string wrapper_text(const Design& design) {
  const std::vector<Memory> all = shapes(design.memories);
  const auto condition = [](const Memory& memory) {
    return "Bits == " + std::to_string(memory.bits) +
           " && Depth == " + std::to_string(memory.words);
  };
  std::string any, branches;
  for (const Memory& memory : all) {
    any += (any.empty() ? "(" : " ||\n                   (") + condition(memory) + ")";
    branches +=
        (branches.empty() ? "  if (" : " else if (") + condition(memory) + ") begin : g_sram_" +
        std::to_string(memory.words) + "x" + std::to_string(memory.bits) + "\n" +
        instance_text(
            memory.module(design.prefix), "u_sram", {},
            {{"clk_i"}, {"wen_i"}, {"waddr_i"}, {"data_i"}, {"ren_i"}, {"raddr_i"}, {"data_o"}},
            4) +
        "  end";
  }
  return "/// The SRAMs of " + design.prefix +
         "_top\n/// behind the ports of axelram_sram_1r1w. This file takes the place of\n/// " +
         kMemory +
         "; views/axelram.f lists the sources. Another shape\n"
         "/// is an error. Rules of the ports: the module that it replaces.\n"
         "`include \"axelram_macros.svh\"\n"
         "`default_nettype none\n\n"
         "module axelram_sram_1r1w #(\n"
         "    parameter int  Bits        = " +
         std::to_string(all.front().bits) +
         ",\n    parameter int  Depth       = " + std::to_string(all.front().words) +
         ",\n"
         "    localparam int AddressBits = (Depth > 1) ? $clog2(Depth) : 1\n"
         ") (\n"
         "    input  wire logic                   clk_i,\n"
         "    input  wire logic                   wen_i,\n"
         "    input  wire logic [AddressBits-1:0] waddr_i,\n"
         "    input  wire logic [       Bits-1:0] data_i,\n"
         "    input  wire logic                   ren_i,\n"
         "    input  wire logic [AddressBits-1:0] raddr_i,\n"
         "    output wire logic [       Bits-1:0] data_o\n"
         ");\n"
         "  `AXELRAM_REQUIRE(shape_of_an_sram,\n                   " +
         any + ")\n\n" + branches + "\nendmodule\n\n`default_nettype wire\n";
}

/// Sources with SRAMs in place of the memory of registers.
std::vector<std::string> view_sources(const Design& design,
                                      const std::vector<std::string>& sources) {
  std::vector<std::string> result;
  for (const std::string& source : sources) {
    if (source != kMemory) {
      result.push_back(source);
      continue;
    }
    for (const Memory& shape : shapes(design.memories))
      result.push_back(view_path(shape.module(design.prefix), sram_views().front()));
    result.emplace_back(kWrapper);
  }
  return result;
}

std::string flow_text(const Design& design) {
  const std::string& name = design.prefix;
  return "# Configuration of " + name +
         "_top for OpenROAD-flow-scripts. axelram does not run it: OpenROAD is not in\n"
         "# Debian 12, on which axelram is tested. The variables are those of the documentation "
         "of that flow.\n"
         "#   make DESIGN_CONFIG=FOLDER/views/config.mk PLATFORM=nangate45\n"
         "# First replace the .lef and .lib of the SRAMs by those of your SRAM compiler: the "
         "stubs have no size.\n"
         "# axelram.sdc counts in ns; a platform that counts in another unit needs another "
         "period there.\n"
         "AXELRAM := $(patsubst %/views/config.mk,%,$(abspath $(lastword $(MAKEFILE_LIST))))\n"
         "AXELRAM_SRAMS := $(patsubst %.lef,%,$(wildcard $(AXELRAM)/views/" +
         name +
         "_sram_*.lef))\n\n"
         "export PLATFORM ?= sky130hd\n"
         "export DESIGN_NICKNAME = " +
         name +
         "\n"
         "export DESIGN_NAME = " +
         name +
         "_top\n"
         "# The SRAMs are modules of their .lib.\n"
         "export VERILOG_FILES = $(addprefix $(AXELRAM)/,$(filter-out +% views/" +
         name +
         "_sram_%.v, \\\n"
         "    $(shell cat $(AXELRAM)/views/axelram.f)))\n"
         "export VERILOG_INCLUDE_DIRS = $(AXELRAM)/rtl/common\n"
         "export SDC_FILE = $(AXELRAM)/axelram.sdc\n"
         "export ADDITIONAL_LEFS = $(addsuffix .lef,$(AXELRAM_SRAMS))\n"
         "export ADDITIONAL_LIBS = $(addsuffix .lib,$(AXELRAM_SRAMS))\n"
         "# export ADDITIONAL_GDS = the layouts of the SRAMs, for the last step\n\n"
         "export CORE_UTILIZATION ?= 40\n"
         "export MACRO_PLACE_HALO ?= 40 40\n";
}

}  // namespace

std::vector<GeneratedFile> view_files(const Design& design,
                                      const std::vector<std::string>& sources) {
  std::vector<GeneratedFile> files = {
      {"views/axelram.f", file_list_text(view_sources(design, sources))},
      {kWrapper, wrapper_text(design)},
      {"views/config.mk", flow_text(design)},
      {"views/memories.json", request_text(design)}};
  for (const Memory& shape : shapes(design.memories)) {
    const std::string module = shape.module(design.prefix);
    for (const SramView& view : sram_views())
      files.push_back({view_path(module, view), view.text(shape, module)});
  }
  return files;
}

}  // namespace axelram::rtl
