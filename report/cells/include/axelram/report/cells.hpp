#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/cell_library.hpp"
#include "axelram/report/line.hpp"

namespace axelram::report {

/// The longest path of a module: from a register or an input to a register or an output.
struct CellPath {
  double nanoseconds = 0;   ///< setup time included
  std::uint64_t cells = 0;  ///< without the register at its start
  std::string from, to;     ///< pins and registers
};

/// A module of a macro, mapped to the cells of a library.
struct MappedModule {
  std::string source;                          ///< name in the RTL
  std::map<std::string, std::uint64_t> cells;  ///< of each kind, without those of submodules
  std::uint64_t buffers = 0;                   ///< of these, in trees of large nets
  std::map<std::string, std::uint64_t> inner;  ///< instances of submodules, by their names
  std::optional<CellPath> path;                ///< nothing: no path, as in a ROM
  /// Modules of instances, by their names with the generate blocks around them.
  std::map<std::string, std::string> instances = {};
  /// W of its own cells if no signal but the clock toggles, and if each does so once a cycle.
  double idle_power = 0, busy_power = 0;
  double leakage_power = 0;  ///< W of its own cells without a clock
};

/// A generated macro, mapped to a library (scripts/cells). Its SRAM is a module without cells.
struct MappedDesign {
  std::map<std::string, MappedModule> modules;
  std::string top;                 ///< a key of `modules`
  std::optional<double> recovery;  ///< ns from the reset to the registers of the top
  double period = 0;               ///< ns, that mapping aimed at
  files::CellLibrary library;
  std::string tools;  ///< names and versions
  std::string rtl;    ///< digest of the RTL
};

/// True if the clock of a module in another one stands while the macro is idle: it has a clock gate
/// there (axelram_pipeline_clock) and is not that gate. So do the clocks of all modules in it.
bool has_gated_clock(const MappedDesign& design, const std::string& around,
                     const std::string& module);

/// "axelram_score_table" -> "score_table"; the generated modules without the name of the macro.
/// `top`: name of the top in the RTL.
std::string module_name(const std::string& source, const std::string& top);

/// Cells, NAND2 equivalents, area, longest path and frequency of the macro and of each module;
/// those of the macro n/a without a design.
void add_cells(const MappedDesign* design, std::vector<Line>* lines);

}  // namespace axelram::report
