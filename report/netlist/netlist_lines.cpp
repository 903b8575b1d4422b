#include <algorithm>

#include "axelram/report/operators.hpp"
#include "lines/section.hpp"
#include "netlist/tables.hpp"
#include "netlist/tally.hpp"

namespace axelram::report {
namespace {

const std::string kHardware = "_in_hardware", kNetlist = "_in_netlist";
constexpr const char* kReason = "--netlist or --synthesize counts them";
constexpr const char* kUnattributed = "unattributed_in_netlist";

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string without(const std::string& text, const std::string& end) {
  return text.substr(0, text.size() - end.size());
}

/// The line of a closed form that a line of the netlist stands beside, or "" if it has none.
std::string stem_of(const Line& line) {
  if (ends_with(line.name, kHardware)) return without(line.name, kHardware);
  for (const StorageRow& row : storage_rows())
    if (line.name == row.line) return line.name;
  return "";
}

/// "16 $sub and 16 $add of a", those that exist, or all if none does.
std::string text_of(const OperatorPart& part) {
  std::string text;
  for (const auto& [cells, number] : part.cells)
    if (number != 0 || part.number() == 0)
      text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + cells;
  return (part.part.empty() ? "" : part.part + ": ") + text;
}

/// The line that counts the operators of a closed form. Its value is that of a part that differs.
Line operators_of(const Line& closed, const std::vector<OperatorPart>& parts) {
  const auto expected = std::get<std::uint64_t>(closed.value);
  Line line = closed;
  std::uint64_t value = parts.empty() ? 0 : parts.front().number();
  std::string note;
  for (const OperatorPart& part : parts) {
    note += (note.empty() ? "" : "; ") + text_of(part);
    if (value == expected) value = part.number();
  }
  line.value = value;
  line.note = note.empty() ? "no rule counts them" : note;
  return line;
}

Line storage_of(const Line& closed, const StoredBits& stored) {
  Line line = closed;
  line.value = stored.bits;
  line.note.clear();
  for (const std::string& module : stored.modules)
    line.note += (line.note.empty() ? "" : ", ") + module;
  if (line.note.empty()) line.note = "none";
  return line;
}

/// The line behind that of a closed form.
Line beside(const Line& closed, const std::string& stem, const Tally* tally) {
  Line line = closed;
  if (tally == nullptr) {
    line.value = std::monostate();
    line.paper.reset();
    line.note = kReason;
  } else if (ends_with(closed.name, kHardware)) {
    const auto found = tally->operators.find(stem);
    line = operators_of(
        closed, found == tally->operators.end() ? std::vector<OperatorPart>() : found->second);
  } else {
    const auto found = tally->storage.find(stem);
    line = storage_of(closed, found == tally->storage.end() ? StoredBits() : found->second);
  }
  line.name = stem + kNetlist;
  line.method = tally == nullptr ? Method::not_available : Method::measured;
  return line;
}

bool has_line(const Lines& lines, const std::string& name) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const Line& line) { return line.name == name; });
}

/// Cells that no rule attributes, and operators that the report has no line for.
std::map<std::string, std::uint64_t> unattributed_of(const Tally& tally, const Lines& lines) {
  std::map<std::string, std::uint64_t> all = tally.unattributed;
  for (const auto& [stem, parts] : tally.operators)
    for (const OperatorPart& part : parts)
      if (part.number() != 0 && !has_line(lines, stem + kHardware))
        all[text_of(part) + ", without a line " + stem + kHardware] += part.number();
  return all;
}

void add_rest(const Tally& tally, Lines* lines) {
  const std::map<std::string, std::uint64_t> unattributed = unattributed_of(tally, *lines);
  std::uint64_t strangers = 0;
  std::string names;
  for (const auto& [what, number] : unattributed) {
    strangers += number;
    names += (names.empty() ? "" : "; ") + std::to_string(number) + " " + what;
  }
  const auto add = [&](const std::string& name, std::uint64_t value, const std::string& unit,
                       const std::string& note) {
    lines->push_back({"netlist", name, value, unit, Method::measured, {}, note});
  };
  const auto count = [](const auto& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::uint64_t{0} : found->second;
  };
  add("multipliers" + kNetlist, tally.multipliers, "cells", "all $mul: those of the lines above");
  for (const auto& [line, note] : class_lines())
    add(line + kNetlist, count(tally.classes, line), "cells", note);
  add(kUnattributed, strangers, "cells", names.empty() ? "every cell has a line" : names);
  const auto other = tally.storage.find("other_memory_bits");
  add("memories" + kNetlist, tally.memories, "memories", "arrays, before any mapping");
  add("memory_bits" + kNetlist, tally.memory_bits, "bits", "of all memories");
  add("other_memory_bits" + kNetlist, other == tally.storage.end() ? 0 : other->second.bits, "bits",
      "shifts, exponents and norms that wait, and ROMs of decoders");
  add("flip_flops" + kNetlist, tally.register_bits, "bits", "registers, before any optimisation");
  add("latches" + kNetlist, tally.latch_bits, "bits", "those of the lines above");
  add("other_flip_flops" + kNetlist, tally.register_bits - tally.named_register_bits, "bits",
      "without those of the lines above: pipelines, control and ports");
}

void miss_rest(Lines* lines) {
  Section section(lines, "netlist");
  section.missing("multipliers" + kNetlist, "cells", kReason);
  for (const auto& [line, note] : class_lines()) section.missing(line + kNetlist, "cells", kReason);
  section.missing(kUnattributed, "cells", kReason);
  section.missing("memories" + kNetlist, "memories", kReason);
  for (const char* line :
       {"memory_bits", "other_memory_bits", "flip_flops", "latches", "other_flip_flops"})
    section.missing(line + kNetlist, "bits", kReason);
}

}  // namespace

void add_netlist(const files::Config& config, const Netlist* netlist, Lines* lines) {
  std::optional<Tally> counted;
  if (netlist != nullptr) counted = tally(*netlist, config.parameters);
  Lines all;
  for (const Line& line : *lines) {
    if (ends_with(line.name, kNetlist)) continue;
    all.push_back(line);
    const std::string stem = stem_of(line);
    if (!stem.empty()) all.push_back(beside(line, stem, counted ? &*counted : nullptr));
  }
  if (counted)
    add_rest(*counted, &all);
  else
    miss_rest(&all);
  *lines = std::move(all);
}

std::vector<std::string> disagreements(const Lines& lines) {
  std::map<std::string, const Line*> by_name;
  for (const Line& line : lines) by_name[line.name] = &line;
  const auto shown = [](const Line& line) {
    return line.name + " is " + std::to_string(std::get<std::uint64_t>(line.value));
  };
  std::vector<std::string> found;
  for (const Line& line : lines) {
    if (!ends_with(line.name, kNetlist) || line.method != Method::measured) continue;
    const std::string stem = without(line.name, kNetlist);
    const auto hardware = by_name.find(stem + kHardware), storage = by_name.find(stem);
    const auto closed = hardware != by_name.end() ? hardware : storage;
    if (closed != by_name.end() && closed->second->value != line.value)
      found.push_back(shown(line) + ", " + shown(*closed->second) + ": " + line.note);
    if (line.name == kUnattributed && std::get<std::uint64_t>(line.value) != 0)
      found.push_back(shown(line) + ": " + line.note);
  }
  return found;
}

}  // namespace axelram::report
