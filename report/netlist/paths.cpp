#include "netlist/paths.hpp"

#include <algorithm>

namespace axelram::report::rtlil {
namespace {

bool one_of(const std::string& text, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return text == name; });
}

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

/// False for an output of a cell of Yosys. Ports of an instance count as inputs.
bool reads(const Cell& cell, const std::string& port) {
  if (cell.instance()) return true;
  if (port == "DATA") return starts_with(cell.type, "$memwr");
  return !one_of(port, {"Y", "Q"});
}

/// Where a value goes that enters a cell at a port: to an address, into the result, or elsewhere.
enum class Way { address, on, elsewhere };

Way way_of(const Cell& cell, const std::string& port) {
  const std::string& type = cell.type;
  if (starts_with(type, "$memrd") || starts_with(type, "$memwr"))
    return port == "ADDR" ? Way::address : Way::elsewhere;
  if (one_of(type, {"$shift", "$shiftx"})) return port == "B" ? Way::address : Way::elsewhere;
  if (one_of(type, {"$add", "$sub", "$mul", "$neg"})) return Way::on;
  if (one_of(type, {"$mux", "$pmux"})) return port == "S" ? Way::elsewhere : Way::on;
  if (source_name(type) == "axelram_sram_1r1w" && one_of(port, {"raddr_i", "waddr_i"}))
    return Way::address;
  return Way::elsewhere;
}

}  // namespace

Paths::Paths(const Module& module) : module_(module) {
  for (const Cell& cell : module.cells)
    for (const auto& [port, expression] : cell.ports)
      if (reads(cell, port))
        for (const std::string& signal : signals_of(expression))
          readers_[signal].push_back({&cell, &port});
  for (const auto& [driven, driver] : module.connections)
    for (const std::string& signal : signals_of(driver)) driven_[signal].push_back(&driven);
}

Paths::Ends Paths::ends_of(const std::string& signal) const {
  static const std::vector<Reader> no_readers;
  static const std::vector<const std::string*> none;
  const auto readers = readers_.find(signal);
  const auto driven = driven_.find(signal);
  return {readers == readers_.end() ? &no_readers : &readers->second,
          driven == driven_.end() ? &none : &driven->second};
}

bool Paths::only_addresses(const Cell& cell) const {
  std::set<std::string> seen;
  bool reached = false;
  return follow(cell.port("Y"), &seen, &reached) && reached;
}

bool Paths::follow(const std::string& expression, std::set<std::string>* seen,
                   bool* reached) const {
  for (const std::string& signal : signals_of(expression)) {
    if (!seen->insert(signal).second) continue;
    if (module_.outputs.count(signal) != 0) return false;
    const Ends ends = ends_of(signal);
    for (const Reader& reader : *ends.readers) {
      const Way way = way_of(*reader.cell, *reader.port);
      if (way == Way::elsewhere) return false;
      if (way == Way::address) *reached = true;
      if (way == Way::on && !follow(reader.cell->port("Y"), seen, reached)) return false;
    }
    for (const std::string* driven : *ends.driven)
      if (!follow(*driven, seen, reached)) return false;
  }
  return true;
}

std::set<std::string> Paths::destinations(const Cell& cell) const {
  std::set<std::string> seen, names;
  visit(cell.port("Y"), &seen, &names);
  return names;
}

void Paths::visit(const std::string& expression, std::set<std::string>* seen,
                  std::set<std::string>* names) const {
  for (const std::string& signal : signals_of(expression)) {
    if (!seen->insert(signal).second) continue;
    if (signal[0] == '\\') {
      names->insert(last_part(signal));
      continue;
    }
    const Ends ends = ends_of(signal);
    for (const Reader& reader : *ends.readers) {
      const std::string& type = reader.cell->type;
      if (one_of(type, {"$mux", "$pmux"}) && *reader.port != "S")
        visit(reader.cell->port("Y"), seen, names);
      else if (type.find("dff") != std::string::npos && *reader.port == "D")
        visit(reader.cell->port("Q"), seen, names);
    }
    for (const std::string* driven : *ends.driven) visit(*driven, seen, names);
  }
}

}  // namespace axelram::report::rtlil
