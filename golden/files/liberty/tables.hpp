#pragma once

#include <optional>
#include <string>

#include "axelram/files/liberty.hpp"

namespace axelram::files {

/// A unit of a library in units without prefix: 1e-9 of time_unit "1ns" with the base "s", 1e-12 of
/// capacitive_load_unit(1, pf) with "f". Nothing if the library does not state it. Throws
/// InputError with the line if it is another text.
std::optional<double> liberty_unit(const LibertyGroup& library, const std::string& name,
                                   const std::string& base, const std::string& origin);

/// Where a table is read, in units of the library.
struct TablePoint {
  double slew = 0, load = 0;
};

struct TableValue {
  double value = 0;
  bool inside = true;  ///< false: the point lies beyond the table; this is the value at its edge
};

/// Value of a group such as cell_rise(TEMPLATE) or rise_power(scalar), linear between the entries.
/// Nothing if it depends on anything but an input transition and an output load. Throws InputError
/// with the line if values, indices and template do not fit together.
std::optional<TableValue> table_value(const LibertyGroup& library, const LibertyGroup& table,
                                      const TablePoint& point, const std::string& origin);

}  // namespace axelram::files
