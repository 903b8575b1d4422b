#include <algorithm>
#include <array>

#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

const std::string kHardware = "_in_hardware", kNetlist = "_in_netlist";

bool has_end(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool begins(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

template <std::size_t N>
bool is_one_of(const std::string& text, const std::array<const char*, N>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Units of area, of energy and power, and of time in seconds.
constexpr std::array kSilicon = {"mm²", "mm2", "mm^2", "µm²", "um^2",  "um2", "nand2",
                                 "GE",  "pJ",  "fJ",   "nJ",  "mW",    "uW",  "µW",
                                 "nW",  "ns",  "ps",   "MHz", "gates", "GHz"};
constexpr std::array kBytes = {"bytes", "KiB", "MiB", "GiB"};
/// Widths, in bits, of what is stored elsewhere or of constants.
constexpr std::array kWidths = {"wider_network_bits", "residual_scale_bits"};

bool measures_accuracy(const report::Line& line) {
  return line.unit == "mean square" || begins(line.name, "trace_score") ||
         begins(line.name, "trace_attention") || begins(line.name, "gaussian_");
}

bool counts_operations(const std::string& name) {
  return name.find("_per_") != std::string::npos || begins(name, "multiplication") ||
         name == "copies";
}

/// Name of the line of the netlist that counts the same.
std::string netlist_name(const std::string& name) {
  return (has_end(name, kHardware) ? name.substr(0, name.size() - kHardware.size()) : name) +
         kNetlist;
}

/// Whether a line of the netlist stands beside one of a closed form.
bool stands_beside(const Facts& facts, const report::Line& line) {
  const std::string stem = line.name.substr(0, line.name.size() - kNetlist.size());
  return facts.find(stem) != nullptr || facts.find(stem + kHardware) != nullptr;
}

}  // namespace

Place place_of(const report::Line& line) {
  const std::string& name = line.name;
  if (begins(name, "plain_")) return Place::further;
  if (begins(name, "token_") || line.unit == "toggles") return Place::token;
  if (line.section == "cells" || !line.subject.empty()) return Place::silicon;
  if (begins(line.section, "cost of a code")) return Place::codes;
  if (has_end(name, kHardware) || has_end(name, kNetlist)) return Place::operators;
  if (is_one_of(line.unit, kSilicon) || has_end(name, "_flip_flops")) return Place::silicon;
  if (measures_accuracy(line) || begins(name, "trace_distortion")) return Place::accuracy;
  if (line.unit == "cycles" || name == "keys_that_hide_copies") return Place::timing;
  if (line.unit == "bits" && has_end(name, "_bits") && !is_one_of(name, kWidths))
    return Place::storage;
  if (is_one_of(line.unit, kBytes) || begins(name, "compression")) return Place::memory;
  if (counts_operations(name)) return Place::operations;
  return Place::further;
}

std::vector<Part> figures_at(const Facts& facts, Place place, bool netlist) {
  std::vector<Part> parts;
  for (const report::Line& line : facts.lines) {
    const bool counted = has_end(line.name, kNetlist);
    if (place_of(line) != place || !line.subject.empty() || (counted && stands_beside(facts, line)))
      continue;
    auto* group = parts.empty() ? nullptr : &std::get<Figures>(parts.back());
    if (group == nullptr || group->title != line.section)
      group =
          &std::get<Figures>(parts.emplace_back(Figures{line.section, {}, netlist && !counted}));
    Figure figure{line, {}};
    if (const report::Line* beside = facts.find(netlist_name(line.name))) figure.netlist = *beside;
    group->figures.push_back(figure);
  }
  return parts;
}

const report::Line* Facts::find(const std::string& name) const {
  for (const report::Line& line : lines)
    if (line.name == name) return &line;
  return nullptr;
}

const report::Line& Facts::line(const std::string& name) const {
  if (const report::Line* found = find(name)) return *found;
  throw std::logic_error("the report has no line " + name);
}

std::string Facts::value(const std::string& name) const {
  const report::Line& found = line(name);
  return number_text(found) + (found.unit == "x" ? "" : " " + found.unit);
}

}  // namespace axelram::commands::sheet
