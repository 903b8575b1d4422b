#include "sram/estimate.hpp"

namespace axelram::report {
namespace {

/// A figure of the macro times a number, with what was counted in front of its note.
files::SourceFigure times(const files::SourceFigure& figure, std::uint64_t number,
                          const std::string& counted, const std::string& source) {
  if (!figure.value) return {{}, figure.note + "; " + source};
  return {*figure.value * static_cast<double>(number), counted + figure.note + "; " + source};
}

}  // namespace

std::string port_remark(const std::string& ports) {
  int number = 0;
  for (const char c : ports)
    if (c >= '0' && c <= '9') number += c - '0';
  if (number >= 2) return "";
  return ", " + (ports == "unstated" ? "ports not stated" : ports) +
         " in place of a read port and a write port";
}

SramEstimate estimate_of_macro(const files::SramMacro& macro, const SramShape& shape, int node) {
  const auto width = static_cast<std::uint64_t>(macro.bits);
  const std::uint64_t wide = (static_cast<std::uint64_t>(shape.bits) + width - 1) / width;
  const std::uint64_t deep = (shape.words + macro.words - 1) / macro.words;
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  const std::string source =
      macro.source + ", " + macro.corner +
      (node == 0 ? ", node not stated" : ", " + std::to_string(node) + " nm") +
      port_remark(macro.ports);
  const std::string row = text(wide) + (wide == 1 ? " tile" : " tiles in a row") +
                          (deep == 1 ? ": " : ", those of other rows not clocked: ");
  const std::string all = text(wide * deep) + (wide * deep == 1 ? " tile: " : " tiles: ");

  SramEstimate sram;
  sram.tiles = wide * deep;
  sram.tiles_note = text(wide) + " wide for " + std::to_string(shape.bits) + " bits, " +
                    text(deep) + " deep for " + text(shape.words) + " words: " + macro.name + ", " +
                    text(macro.words) + " words of " + std::to_string(macro.bits) + " bits, " +
                    macro.ports + "; " + source;
  sram.area = times(macro.area, wide * deep, all, source);
  sram.read = times(macro.read, wide, row, source);
  sram.write = times(macro.write, wide, row, source);
  sram.access = times(macro.access, 1,
                      deep == 1 ? "a tile: " : "a tile, without choice of its row: ", source);
  sram.leakage = times(macro.leakage, wide * deep, all, source);
  return sram;
}

}  // namespace axelram::report
