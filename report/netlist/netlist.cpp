#include "axelram/report/netlist.hpp"

#include <algorithm>

#include "axelram/files/errors.hpp"
#include "netlist/paths.hpp"
#include "netlist/rtlil_reader.hpp"

namespace axelram::report {
namespace {

using rtlil::Cell;
using rtlil::last_part;
using rtlil::signals_of;

bool one_of(const std::string& text, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return text == name; });
}

bool arithmetic(const std::string& type) {
  return one_of(type, {"$add", "$sub", "$mul",  "$div",  "$mod",  "$divfloor", "$modfloor", "$pow",
                       "$neg", "$alu", "$macc", "$fa",   "$lcu",  "$lt",       "$le",       "$gt",
                       "$ge",  "$shl", "$shr",  "$sshl", "$sshr", "$shift",    "$shiftx"});
}

/// File and first place of a source attribute such as "rtl/common/a.sv:1.2-3.4|...".
std::string place_of(const std::string& attribute) {
  const std::string first = attribute.substr(0, attribute.find_first_of("|-"));
  return first.substr(first.rfind('/') + 1);
}

/// Yosys writes the name of a memory as a string, its backslash doubled: "\\buffer_q".
std::string memory_of(const Cell& port) {
  const std::string& text = port.parameter("MEMID");
  return last_part(text.size() < 4 ? "" : text.substr(2, text.size() - 3));
}

NetlistCell cell_of(const Cell& cell, const rtlil::Paths& paths) {
  const std::string &a = cell.port("A"), &b = cell.port("B");
  NetlistCell kept;
  kept.type = cell.type;
  kept.source = place_of(cell.source);
  kept.left = cell.width("A_WIDTH");
  kept.right = cell.width("B_WIDTH");
  kept.width = cell.width("Y_WIDTH");
  kept.arithmetic = arithmetic(cell.type);
  kept.constant = signals_of(a).empty() || (!b.empty() && signals_of(b).empty());
  kept.square = a == b;
  kept.index = paths.only_addresses(cell);
  kept.destinations = paths.destinations(cell);
  return kept;
}

/// A multiplexer is kept under the names of the signals that it drives itself.
NetlistCell multiplexer_of(const Cell& cell) {
  NetlistCell kept;
  kept.type = cell.type;
  kept.source = place_of(cell.source);
  kept.left = kept.right = kept.width = cell.width("WIDTH");
  for (const std::string& signal : signals_of(cell.port("Y")))
    kept.destinations.insert(last_part(signal));
  return kept;
}

NetlistModule module_of(const rtlil::Module& module) {
  NetlistModule kept;
  kept.name = rtlil::source_name(module.name);
  const rtlil::Paths paths(module);
  for (const rtlil::Memory& memory : module.memories) {
    NetlistMemory& all = kept.memories[last_part(memory.name)];
    ++all.number;
    all.bits += memory.words * memory.width;
  }
  for (const Cell& cell : module.cells) {
    const std::string& type = cell.type;
    if (cell.instance()) {
      kept.instances.push_back({last_part(cell.name), type});
    } else if (arithmetic(type) || one_of(type, {"$and", "$xor"})) {
      kept.cells.push_back(cell_of(cell, paths));
    } else if (type == "$mux") {
      kept.cells.push_back(multiplexer_of(cell));
    } else if (type.rfind("$memrd", 0) == 0) {
      if (!signals_of(cell.port("ADDR")).empty()) ++kept.memories[memory_of(cell)].reads;
    } else if (const bool latch = type.find("latch") != std::string::npos;
               latch || type.find("ff") != std::string::npos) {
      const auto signals = signals_of(cell.port("Q"));
      (latch ? kept.latches : kept.registers)[signals.empty() ? "" : last_part(signals.front())] +=
          static_cast<std::uint64_t>(cell.width("WIDTH"));
    }
  }
  return kept;
}

}  // namespace

Netlist read_rtlil(std::istream& text) {
  Netlist netlist;
  rtlil::read(text, [&](const rtlil::Module& module) {
    if (module.top) netlist.top = module.name;
    netlist.modules[module.name] = module_of(module);
  });
  if (netlist.top.empty()) throw files::EnvironmentError("the netlist of yosys has no top module");
  return netlist;
}

}  // namespace axelram::report
