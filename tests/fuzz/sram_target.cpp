#include <cmath>
#include <cstdint>

#include "axelram/files/cell_library.hpp"
#include "axelram/files/lef.hpp"
#include "axelram/files/liberty.hpp"
#include "axelram/files/sram.hpp"
#include "require.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

/// True if a reader succeeds, false if it throws an InputError on one line, with the place.
template <class Read>
bool reads(Read&& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f:", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find("; ") != std::string::npos, message);
    require(message.size() < 5000, message);
    return false;
  }
}

/// A figure is positive and finite, or states why there is none.
void check(const SourceFigure& figure) {
  require(!figure.note.empty(), "a figure without a note");
  require(figure.note.find_first_of("\n\r") == std::string::npos, figure.note);
  if (figure.value) require(std::isfinite(*figure.value) && *figure.value > 0, figure.note);
}

int depth_of(const LibertyGroup& group) {
  int deepest = 0;
  for (const LibertyGroup& inner : group.groups) deepest = std::max(deepest, depth_of(inner));
  return deepest + 1;
}

}  // namespace

/// Any text gives the figures of an SRAM, a library of cells, sizes of macros, or points of a
/// table, or an InputError on one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (reads([&] { require(depth_of(parse_liberty(text, "f")) <= kMaxLibertyDepth, "depth"); }))
    for (const bool openram : {false, true})
      reads([&] {
        const SramMacro macro = (openram ? openram_sram : liberty_sram)(text, "f", {});
        for (const SourceFigure& figure :
             {macro.area, macro.read, macro.write, macro.access, macro.leakage})
          check(figure);
        require(macro.words > 0 && macro.bits > 0, "an SRAM without words");
      });
  reads([&] {
    const CellLibrary library = parse_cell_library(text, "f", "");
    for (const auto& [cell, area] : library.areas) require(area > 0, cell);
    require(!library.nand2.empty() && !library.flip_flops.empty(), "a library without cells");
  });
  reads([&] {
    for (const LefMacro& macro : parse_lef(text, "f"))
      require(macro.width >= 0 && macro.height >= 0, macro.name);
  });
  reads([&] {
    const std::vector<PublishedPoint> points = parse_sram_table(text, "f", 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      require(points[i].words > 0 && points[i].bits == points[0].bits, points[i].name);
      require(i == 0 || points[i].words > points[i - 1].words, points[i].name);
    }
  });
  return 0;
}
