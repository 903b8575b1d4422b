#include "axelram/files/cell_library.hpp"

#include "axelram/files/liberty.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sha256.hpp"
#include "config_document.hpp"
#include "liberty_corner.hpp"
#include "openram.hpp"

namespace axelram::files {
namespace {

using Table = std::vector<bool>;

/// A cell of one output that is a function of its inputs.
struct Gate {
  std::vector<std::string> inputs;
  std::string output;
  Table table;
};

std::optional<Gate> gate_of(const LibertyGroup& cell) {
  Gate gate;
  std::string function;
  int outputs = 0;
  for (const LibertyGroup& pin : cell.groups) {
    if (pin.kind == "bus" || pin.kind == "bundle" || pin.kind == "ff" || pin.kind == "latch")
      return {};
    if (pin.kind != "pin" || pin.arguments.empty()) continue;
    if (pin.text("direction") == "input") gate.inputs.push_back(pin.arguments.front());
    if (pin.text("direction") != "output") continue;
    if (!pin.text("three_state").empty()) return {};
    gate.output = pin.arguments.front();
    function = pin.text("function");
    ++outputs;
  }
  const auto table = truth_table(function, gate.inputs);
  if (outputs != 1 || !table) return {};
  gate.table = *table;
  return gate;
}

/// The name of the pin in a clock's expression: "CLK", "(!CLK)".
std::string pin_of(const std::string& expression) {
  std::string name;
  for (const char c : expression)
    if (std::string_view("!'() ").find(c) == std::string_view::npos) name += c;
  return name;
}

bool excluded(const LibertyGroup& cell) {
  return cell.text("dont_use") == "true" || cell.text("dont_touch") == "true";
}

/// Cells of one function, the smallest first; without areas, in the order of the file.
using Kind = std::multimap<double, BufferCell>;

void require(const Kind& kind, const char* name, const LibertyGroup& library,
             const std::string& origin) {
  if (kind.empty())
    fail_at(origin, library.line, std::string("no ") + name + "; a library to map to has one");
}

/// The operating conditions that `corner` names, or the library's own; empty if it has none.
std::string conditions_of(const LibertyGroup& library, const std::string& corner,
                          const std::string& origin) {
  std::vector<std::string> names;
  for (const LibertyGroup& group : library.groups)
    if (group.kind == "operating_conditions" && !group.arguments.empty())
      names.push_back(group.arguments.front());
  if (corner.empty()) {
    const std::string own = library.text("default_operating_conditions");
    return own.empty() && names.size() == 1 ? names.front() : own;
  }
  for (const std::string& name : names)
    if (name == corner) return name;
  if (names.empty())
    throw InputError(origin + ": no operating_conditions, but the corner " + in_quotes(corner) +
                     " is asked for; leave --corner out");
  throw InputError(origin + ": no operating_conditions " + in_quotes(corner) +
                   "; --corner must be " + any_of(names));
}

}  // namespace

CellLibrary parse_cell_library(const std::string& text, const std::string& origin,
                               const std::string& corner) {
  const LibertyGroup library = parse_liberty(text, origin);
  CellLibrary result;
  result.digest = sha256(text);
  result.source = provenance_of(origin, text);
  result.conditions = conditions_of(library, corner, origin);
  result.corner = corner_in_words(library, result.conditions);

  Kind inverters, buffers, nands;
  for (const LibertyGroup& cell : library.groups) {
    if (cell.kind != "cell" || cell.arguments.empty()) continue;
    const std::string& name = cell.arguments.front();
    const LibertyAttribute* const stated = cell.find("area");
    const double area = stated == nullptr ? 0 : liberty_number(*stated, origin);
    if (area > 0) result.areas[name] = area;
    if (const LibertyGroup* const ff = cell.group("ff"))
      result.flip_flops[name] = pin_of(ff->text("clocked_on"));
    if (excluded(cell)) continue;
    const std::optional<Gate> gate = gate_of(cell);
    if (!gate) continue;
    const auto add = [&](Kind* kind, const Table& table) {
      if (gate->table == table) kind->insert({area, {name, gate->inputs.front(), gate->output}});
    };
    add(&inverters, {true, false});
    add(&buffers, {false, true});
    add(&nands, {true, true, true, false});
  }
  require(inverters, "inverter", library, origin);
  require(buffers, "buffer", library, origin);
  require(nands, "NAND of two inputs", library, origin);
  if (result.flip_flops.empty())
    fail_at(origin, library.line, "no cell with an ff group; a library to map to has flip-flops");
  result.nand2 = nands.begin()->second.name;
  result.buffer = buffers.begin()->second;
  const auto larger = buffers.upper_bound(buffers.begin()->first);
  result.tree_buffer = larger == buffers.end() ? result.buffer : larger->second;
  return result;
}

CellLibrary read_cell_library(const std::string& path, const std::string& corner) {
  return parse_cell_library(text_of_file(path, kMaxLibertyBytes), printable(path), corner);
}

}  // namespace axelram::files
