#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/files/errors.hpp"

namespace axelram::files {

/// Longest LEF file.
constexpr std::size_t kMaxLefBytes = std::size_t{1} << 27;

/// A macro of a LEF file and its SIZE. A macro without SIZE has 0 by 0.
struct LefMacro {
  std::string name;
  double width = 0, height = 0;  ///< micrometres
  int line = 0;                  ///< of MACRO, from 1
};

/// The macros of a LEF file (references.md#lef): MACRO, SIZE and END; everything else is skipped.
/// `origin` is the name of the file in messages. Throws InputError ("ORIGIN:LINE: ...") if a SIZE
/// is not `SIZE number BY number ;`, a macro has two or does not end, a name repeats, or there is
/// no macro.
std::vector<LefMacro> parse_lef(std::string_view text, const std::string& origin);

}  // namespace axelram::files
