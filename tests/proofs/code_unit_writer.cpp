// code_unit_writer CODE DECODER STAGES DIRECTORY writes the hardware of a code, for scripts that
// run tools on it. code_unit_writer --list prints one line per code and decoder that can be built:
//   FAMILY CODE DECODER complete|detects
// A complete decoder corrects every received word; others detect some.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "axelram/code.hpp"
#include "axelram/rtl/code_unit.hpp"

namespace {

/// True if the correctable patterns, of weight up to t, take every syndrome.
bool complete(const axelram::Code& code, int correction_radius) {
  std::uint64_t patterns = 0;
  std::uint64_t of_weight = 1;
  for (int weight = 0; weight <= correction_radius; ++weight) {
    patterns += of_weight;
    of_weight = of_weight * static_cast<std::uint64_t>(code.n - weight) /
                static_cast<std::uint64_t>(weight + 1);
  }
  return patterns == std::uint64_t{1} << code.check_bits();
}

void print_line(const axelram::CodeFamily& family, const std::string& name, const char* decoder) {
  const bool all = complete(axelram::make_code(name), family.correction_radius);
  std::printf("%s %s %s %s\n", std::string(family.name).c_str(), name.c_str(), decoder,
              all ? "complete" : "detects");
}

void list() {
  for (const axelram::CodeFamily& family : axelram::code_families())
    for (const std::string_view example : family.examples) {
      const std::string name(example);
      print_line(family, name, "algebraic");
      if (family.decoder == axelram::DecoderUnit::golay) print_line(family, name, "rom");
    }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::strcmp(arguments[1], "--list") == 0) {
      list();
      return 0;
    }
    if (count != 5) {
      std::fprintf(stderr, "usage: code_unit_writer CODE DECODER STAGES DIRECTORY | --list\n");
      return 2;
    }
    const axelram::rtl::CodeUnit unit{arguments[1], arguments[2], std::atoi(arguments[3])};
    axelram::rtl::write_generated(axelram::rtl::generate_code_unit(unit), arguments[4], true);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "code_unit_writer: %s\n", error.what());
    return 1;
  }
  return 0;
}
