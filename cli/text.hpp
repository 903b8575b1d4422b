#pragma once

#include <string>
#include <vector>

namespace axelram::cli {

/// A message as one line: its first line and, if more follow, the first of those that speaks of an
/// error.
std::string one_line(const std::string& message);

/// Rows of equally many cells as aligned columns: the first to the left, the others to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Significant digits enough to give the same number back.
std::string exact(double value);

}  // namespace axelram::cli
