#include <algorithm>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sram.hpp"
#include "liberty/corner.hpp"
#include "ports.hpp"
#include "power.hpp"

namespace axelram::files {
namespace {

constexpr double kMostAddressBits = 30;
constexpr double kMostMacroBits = 65536;

/// The one cell with a memory group.
const LibertyGroup& sram_cell(const LibertyGroup& library, const std::string& origin) {
  const LibertyGroup* cell = nullptr;
  for (const LibertyGroup& group : library.groups) {
    if (group.kind != "cell" || group.group("memory") == nullptr) continue;
    if (cell != nullptr)
      fail_at(origin, group.line, "a second cell with a memory group; keep one memory in the file");
    cell = &group;
  }
  if (cell == nullptr)
    fail_at(origin, library.line,
            "no cell with a memory group; write memory() { address_width : 9; word_width : 32; }");
  return *cell;
}

/// A whole number of a memory group.
int memory_number(const LibertyGroup& cell, const std::string& name, double most,
                  const std::string& origin) {
  const LibertyGroup& memory = *cell.group("memory");
  const LibertyAttribute* const attribute = memory.find(name);
  if (attribute == nullptr) fail_at(origin, memory.line, "memory has no " + name + "; give it");
  const double value = liberty_number(*attribute, origin);
  if (value < 1 || value > most || value != static_cast<int>(value))
    fail_at(origin, attribute->line,
            name + " is " + with_unit(value, "") + "; it must be a whole number in 1.." +
                std::to_string(static_cast<int>(most)));
  return static_cast<int>(value);
}

SourceFigure stated_area(const SramCell& sram) {
  const LibertyAttribute* const area = sram.cell.find("area");
  if (area == nullptr) return {{}, "not given: the Liberty file has no area"};
  const double value = liberty_number(*area, sram.origin);
  if (!(value > 0))
    return {{},
            "not given: the Liberty file has area " + with_unit(value, "um^2") +
                "; sram.lef may give it"};
  return {value * 1e-6, "area of the Liberty file, which may leave the periphery out"};
}

SourceFigure stated_leakage(const SramCell& sram) {
  const LibertyAttribute* attribute = sram.cell.find("cell_leakage_power");
  double value = 0;
  if (attribute != nullptr) value = liberty_number(*attribute, sram.origin);
  std::string note = "cell_leakage_power";
  std::vector<const LibertyGroup*> groups;
  for (const LibertyGroup& group : sram.cell.groups)
    if (group.kind == "leakage_power") groups.push_back(&group);
  if (!(value > 0) && groups.size() == 1 && groups.front()->find("value") != nullptr) {
    attribute = groups.front()->find("value");
    value = liberty_number(*attribute, sram.origin);
    const std::string when = groups.front()->text("when");
    note = "leakage_power" + (when.empty() ? "" : " when " + printable(when));
  }
  if (attribute == nullptr) return {{}, "not given: no cell_leakage_power"};
  if (!(value > 0)) return {{}, "not given: " + note + " is " + with_unit(value, "")};
  const auto unit = liberty_unit(sram.library, "leakage_power_unit", "w", sram.origin);
  if (!unit) return {{}, "not given: no leakage_power_unit"};
  return {value * *unit * 1e6, note};
}

/// From the rising edge of the clock to the data. OpenRAM's macros read while the clock is low.
SourceFigure access_time(const SramCell& sram, const SramPorts& ports) {
  if (ports.read_edge == nullptr)
    return {{}, "not given: no timing from a clock edge to data that are read"};
  double worst = 0;
  bool inside = true;
  for (const char* kind : {"cell_rise", "cell_fall"}) {
    const LibertyGroup* const table = ports.read_edge->group(kind);
    if (table == nullptr) continue;
    const auto value = table_value(sram.library, *table, sram.point, sram.origin);
    if (!value) return {{}, "not given: the delay depends on more than a transition and a load"};
    worst = std::max(worst, value->value);
    inside = inside && value->inside;
  }
  if (!(worst > 0)) return {{}, "not given: cell_rise and cell_fall are 0 or missing"};
  const double unit = liberty_unit(sram.library, "time_unit", "s", sram.origin).value_or(1e-9);
  double time = worst * unit * 1e9;
  const std::string clock = printable(ports.read_clock);
  std::string note = "from " + clock + " to the data at " + std::to_string(sram.settings.slew) +
                     " ps and " + std::to_string(sram.settings.load) + " fF" +
                     (inside ? "" : ", nearest entry");
  if (ports.read_edge->text("timing_type") == "falling_edge") {
    const LibertyGroup* const pin = sram.pin(ports.read_clock);
    const std::optional<double> high =
        pin == nullptr ? std::nullopt : required_time(sram, *pin, "min_pulse_width");
    if (!high)
      return {{},
              "not given: " + with_unit(time, "ns") + " from the falling edge of " + clock +
                  ", and no min_pulse_width in front of it"};
    note = with_unit(time, "ns") + " " + note + ", behind the shortest high level, " +
           with_unit(*high, "ns");
    time += *high;
  }
  return {time, note};
}

SramMacro sram_of(const std::string& text, const std::string& origin, const SramSettings& settings,
                  bool mean_power) {
  const LibertyGroup library = parse_liberty(text, origin);
  const LibertyGroup& cell = sram_cell(library, origin);
  const double second = liberty_unit(library, "time_unit", "s", origin).value_or(1e-9);
  const double farad = liberty_unit(library, "capacitive_load_unit", "f", origin).value_or(1e-12);
  const SramCell sram = {
      library,  cell,       origin,
      settings, mean_power, {settings.slew * 1e-12 / second, settings.load * 1e-15 / farad}};
  const SramPorts ports = sram_ports(cell, origin);

  SramMacro macro;
  macro.name = cell.arguments.empty() ? "" : printable(cell.arguments.front());
  macro.corner = corner_in_words(library, library.text("default_operating_conditions"));
  macro.ports = ports.label;
  macro.words = std::uint64_t{1} << memory_number(cell, "address_width", kMostAddressBits, origin);
  macro.bits = memory_number(cell, "word_width", kMostMacroBits, origin);
  macro.area = stated_area(sram);
  macro.read = access_energy(sram, ports.read_clock, false);
  macro.write = access_energy(sram, ports.write_clock, true);
  macro.access = access_time(sram, ports);
  macro.leakage = stated_leakage(sram);
  return macro;
}

}  // namespace

SramMacro liberty_sram(const std::string& text, const std::string& origin,
                       const SramSettings& settings) {
  return sram_of(text, origin, settings, false);
}

SramMacro openram_sram(const std::string& text, const std::string& origin,
                       const SramSettings& settings) {
  return sram_of(text, origin, settings, true);
}

}  // namespace axelram::files
