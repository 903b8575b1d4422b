#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace axelram::report::rtlil {

/// A cell as RTLIL has it. Expressions name signals, and hold constants and ranges of bits.
struct Cell {
  std::string type, name, source;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< name and value
  std::vector<std::pair<std::string, std::string>> ports;       ///< name and expression

  const std::string& parameter(const std::string& wanted) const;  ///< "" if there is none
  const std::string& port(const std::string& wanted) const;       ///< "" if there is none
  int width(const std::string& wanted) const;                     ///< a parameter that is a number
  bool instance() const;                                          ///< of a module
};

struct Memory {
  std::string name;
  std::uint64_t words = 1, width = 1;
};

/// A module as RTLIL has it.
struct Module {
  std::string name;
  bool top = false;
  std::vector<Cell> cells;
  std::vector<Memory> memories;
  std::vector<std::pair<std::string, std::string>> connections;  ///< driven, and its driver
  std::set<std::string> outputs;
};

/// Signals that an expression names, in order.
std::vector<std::string> signals_of(const std::string& expression);

/// Last part of a hierarchical name, without the first backslash; "" for a name of Yosys's own.
std::string last_part(const std::string& name);

/// Name of a module in the source.
std::string source_name(const std::string& module);

}  // namespace axelram::report::rtlil
