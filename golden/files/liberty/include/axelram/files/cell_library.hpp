#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axelram/files/errors.hpp"

namespace axelram::files {

/// A cell of one input and one output that repeats it.
struct BufferCell {
  std::string name, input, output;
};

/// A latch of data and enable alone.
struct LatchCell {
  std::string name, data, enable, output;
  bool high = true;  ///< open while the enable is 1, else while it is 0
};

/// A LEF file, and its name in messages.
struct LefText {
  std::string text, origin;
};

/// Facts of a library of standard cells that mapping needs, from its Liberty file
/// (references.md#liberty).
struct CellLibrary {
  std::string source;      ///< the file, with the beginning of its digest
  std::string digest;      ///< SHA-256 of the file
  std::string conditions;  ///< name of the operating conditions; empty if the library has none
  std::string corner;      ///< these in words: "typical, 1.8 V, 25 C"
  std::map<std::string, double> areas;            ///< of cells, > 0, in the unit of the library
  std::map<std::string, std::string> flip_flops;  ///< clock pins, by cell
  std::map<std::string, std::string> latches;     ///< enable pins, by cell
  std::optional<LatchCell> latch;                 ///< the smallest
  std::string lef;              ///< the LEF file, with the beginning of its digest; empty if unused
  std::set<std::string> sized;  ///< cells whose area is their SIZE in that file
  std::string nand2;            ///< the smallest NAND of two inputs
  BufferCell buffer;            ///< the smallest
  BufferCell tree_buffer;  ///< the smallest of those that are larger, or the same: for large nets
};

/// Reads the library in a Liberty file. `corner`: name of an operating_conditions group; empty: the
/// default of the library. Throws InputError, beginning with the file and the line if there is one,
/// if it is no Liberty file, has no such group, or lacks an inverter, a buffer, a NAND of two
/// inputs or a flip-flop.
///
/// A cell whose area is 0 or absent takes its SIZE from the file NAME.lef beside NAME.lib, if there
/// is one and it gives more than half of the other cells the area of the Liberty file, to 1 %.
CellLibrary read_cell_library(const std::string& path, const std::string& corner);

/// The same of a text; `origin` is its name in messages.
CellLibrary parse_cell_library(const std::string& text, const std::string& origin,
                               const std::string& corner, const std::optional<LefText>& lef = {});

/// Values of a Liberty function of these inputs, for each combination, the first input slowest; of
/// at most six. Nothing if the text is no function of them: ! and ', & and * and blank, ^, | and +,
/// parentheses, 0 and 1.
std::optional<std::vector<bool>> truth_table(const std::string& function,
                                             const std::vector<std::string>& inputs);

}  // namespace axelram::files
