#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "axelram/parameters.hpp"
#include "axelram/report/netlist.hpp"

namespace axelram::report {

/// A part of the operators of a line (OperatorRow::part).
struct OperatorPart {
  std::string part;
  std::map<std::string, std::uint64_t> cells;  ///< numbers by "$gt of axelram_quantizer"

  std::uint64_t number() const;
};

/// Memories and registers of a line (StorageRow).
struct StoredBits {
  std::set<std::string> modules;
  std::uint64_t bits = 0;
};

/// What a hierarchy has, each module as often as it is instantiated.
struct Tally {
  std::map<std::string, std::vector<OperatorPart>> operators;  ///< by OperatorRow::line
  std::map<std::string, StoredBits> storage;                   ///< by StorageRow::line
  std::map<std::string, std::uint64_t> classes;                ///< arithmetic that is no operator
  std::map<std::string, std::uint64_t> unattributed;           ///< by description
  std::uint64_t multipliers = 0;                               ///< all $mul
  std::uint64_t memories = 0, memory_bits = 0;
  std::uint64_t register_bits = 0, named_register_bits = 0;  ///< all, and those of lines
  std::uint64_t latch_bits = 0;
};

/// Attributes every arithmetic cell to an operator that a row names; else to the class that the
/// first of these rules gives:
/// - part_selects: $shift and $shiftx;
/// - index_arithmetic: NetlistCell::index, unless it multiplies;
/// - constant_additions and constant_comparisons: sums, differences and comparisons by size with a
///   constant;
/// - the class of a row (ClassRow).
/// What is left is unattributed, and so is a memory that no row names.
Tally tally(const Netlist& netlist, const Parameters& parameters);

}  // namespace axelram::report
