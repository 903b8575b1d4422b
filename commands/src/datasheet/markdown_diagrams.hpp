#pragma once

#include <string>
#include <vector>

#include "axelram/commands/datasheet.hpp"

namespace axelram::commands::sheet {

/// Text of a cell of a Markdown table, and a row of such cells.
std::string cell(std::string text);
std::string markdown_row(const std::vector<std::string>& cells);

/// Facts of a diagram as tables and texts; empty if the page has them elsewhere.
std::string markdown_of(const BlockDiagram& diagram);
std::string markdown_of(const sim::TimingDiagram& diagram);
std::string markdown_of(const Histogram& histogram);
std::string markdown_of(const Levels& levels);
std::string markdown_of(const Shares& shares);
std::string markdown_of(const Curves& curves);

}  // namespace axelram::commands::sheet
