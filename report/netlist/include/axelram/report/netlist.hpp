#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace axelram::report {

/// A cell of Yosys that a report counts. Widths are those of its ports, in bits.
struct NetlistCell {
  std::string type;                    ///< "$mul"
  std::string source;                  ///< "axelram_score.sv:104.11"
  int left = 0, right = 0, width = 0;  ///< of A, of B, and of the result
  bool arithmetic = false;             ///< adds, multiplies, negates, compares by size or shifts
  bool constant = false;               ///< A or B is a constant
  bool square = false;                 ///< A and B are the same signal
  bool index = false;                  ///< rtlil::Paths::only_addresses
  std::set<std::string> destinations = {};  ///< rtlil::Paths::destinations
};

/// A memory, or all memories of a module whose names end alike.
struct NetlistMemory {
  int number = 0;
  std::uint64_t bits = 0;
  int reads = 0;  ///< ports with an address that is not a constant
};

struct NetlistInstance {
  std::string name;    ///< last part
  std::string module;  ///< key of Netlist::modules
};

struct NetlistModule {
  std::string name;  ///< as in the source: without parameters
  std::vector<NetlistCell> cells;
  std::map<std::string, NetlistMemory> memories;   ///< by the last part of their names
  std::map<std::string, std::uint64_t> registers;  ///< bits, by the last part of their names
  std::vector<NetlistInstance> instances;
  std::map<std::string, std::uint64_t> latches = {};  ///< the same of latches
};

/// A hierarchy of modules, by their names in Yosys, which include parameters.
struct Netlist {
  std::map<std::string, NetlistModule> modules;
  std::string top;
};

/// Reads RTLIL as `write_rtlil` writes it behind `hierarchy; proc; opt_expr; opt_clean`, a module
/// at a time. Throws files::EnvironmentError if it is not that, or no module is the top.
Netlist read_rtlil(std::istream& text);

}  // namespace axelram::report
