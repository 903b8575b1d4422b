// code_unit_writer CODE DECODER STAGES DIRECTORY: writes the hardware of a code for scripts that
// run tools on it.

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "axelram/rtl/code_unit.hpp"

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: code_unit_writer CODE DECODER STAGES FOLDER\n");
    return 2;
  }
  try {
    const axelram::rtl::CodeUnit unit{arguments[1], arguments[2], std::atoi(arguments[3])};
    axelram::rtl::write_generated(axelram::rtl::generate_code_unit(unit), arguments[4], true);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "code_unit_writer: %s\n", error.what());
    return 1;
  }
  return 0;
}
