#pragma once

#include <vector>

namespace axelram::report {

enum class Operand { any, constant, variable, square };
enum class Keys { any, prod, split };  ///< configurations to which a row applies
enum class Measure { number, bits, reads };

/// What tells a cell from others of its type in the same module.
struct Only {
  const char* part = "";   ///< of an operator that consists of several cells
  const char* under = "";  ///< instances on the path from the top to the module, dots between
  const char* name = "";   ///< a destination of the cell, or the name of the memory
  Operand operand = Operand::any;
  int least_width = 0;  ///< of the result
  Keys keys = Keys::any;
  Measure measure = Measure::number;
};

/// What a line of the report counts in the netlist. A cell counts for every row that it matches.
/// Rows of a line with the same part are added. Each part must be as many as the line says.
struct OperatorRow {
  const char* line;    ///< of the report, without _in_hardware
  const char* module;  ///< in the source
  const char* cell;    ///< type of cell, "module" for instances of the module, or "memory"
  Only only = {};
};

/// Arithmetic that is no operator of its own: a line of the report without _in_netlist.
struct ClassLine {
  const char* line;
  const char* note;
};

/// Cells of a class that no rule of class_of (tally.cpp) finds.
struct ClassRow {
  const char* line;
  const char* module;  ///< in the source
  const char* cells;   ///< types, with spaces between
};

/// Memories, registers and latches whose bits a line of the report counts.
struct StorageRow {
  const char* line;      ///< of the report
  const char* module;    ///< in the source
  const char* under;     ///< as in Only
  const char* names;     ///< last parts of the names of memories and registers; "" for all
  bool latches = false;  ///< of latches, and no other registers
};

const std::vector<OperatorRow>& operator_rows();
const std::vector<ClassLine>& class_lines();
const std::vector<ClassRow>& class_rows();
const std::vector<StorageRow>& storage_rows();

}  // namespace axelram::report
