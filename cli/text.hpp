#pragma once

#include <string>
#include <vector>

#include "axelram/report/report.hpp"

namespace axelram::cli {

/// Rows of cells as columns: the first is left-aligned, the others are right-aligned.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// The same with all columns left-aligned.
std::string left_table(const std::vector<std::vector<std::string>>& rows);

/// 17 significant digits, which parse to the same number.
std::string exact(double value);

/// printf of one number: `fixed` with %.*f, `short_number` with %.4g.
std::string fixed(double value, int digits);
std::string short_number(double value);

/// "holds" or "DOES NOT HOLD".
const char* verdict(bool holds);

/// Whether a netlist has the operators of the closed forms, and a line for each that it has not; ""
/// if none was counted.
std::string agreement(report::Synthesis synthesis, const std::vector<std::string>& disagreements);

}  // namespace axelram::cli
