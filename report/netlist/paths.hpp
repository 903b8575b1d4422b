#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "netlist/rtlil.hpp"

namespace axelram::report::rtlil {

/// Where the results of the cells of a module go.
class Paths {
 public:
  explicit Paths(const Module& module);

  /// True if the result of a cell decides on nothing but the word of a memory or the place of a
  /// part select: every path from it, through sums, differences, products and data of multiplexers,
  /// ends at the address of a memory or at the place of a part select. A register, an output of the
  /// module, or any other cell is no such end.
  bool only_addresses(const Cell& cell) const;

  /// The named signals that take the result of a cell as it is, through multiplexers or a register
  /// at most; last parts of their names, sorted.
  std::set<std::string> destinations(const Cell& cell) const;

 private:
  struct Reader {
    const Cell* cell;
    const std::string* port;
  };
  struct Ends {
    const std::vector<Reader>* readers;
    const std::vector<const std::string*>* driven;
  };

  Ends ends_of(const std::string& signal) const;
  bool follow(const std::string& expression, std::set<std::string>* seen, bool* reached) const;
  void visit(const std::string& expression, std::set<std::string>* seen,
             std::set<std::string>* names) const;

  const Module& module_;
  std::unordered_map<std::string, std::vector<Reader>> readers_;
  std::unordered_map<std::string, std::vector<const std::string*>> driven_;
};

}  // namespace axelram::report::rtlil
