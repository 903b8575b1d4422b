#include "axelram/report/cells.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "lines/section.hpp"

namespace axelram::report {
namespace {

constexpr const char* kReason = "--liberty FILE measures it";
constexpr const char* kModules = "cells of modules";

/// Figures of all modules of one name in the RTL. Those in another one of the same name are part
/// of it.
struct Sum {
  std::uint64_t instances = 0, cells = 0, flip_flops = 0, latches = 0, buffers = 0;
  double area = 0;              ///< of the cells that have one
  double own_area = 0;          ///< without submodules, which have lines of their own
  double idle_power = 0;        ///< W; where the clock stands, leakage
  bool powered = false;         ///< the library has a power of these cells
  std::set<std::string> sized;  ///< cells whose area is that of the LEF file
  std::optional<CellPath> path;
};

class Sums {
 public:
  explicit Sums(const MappedDesign& design) : design_(design) {
    std::set<std::string> around;
    walk(design.top, 1, false, &around);
  }
  /// In the order of their cells, the most first.
  std::vector<std::pair<std::string, Sum>> sorted() const {
    std::vector<std::pair<std::string, Sum>> list(sums_.begin(), sums_.end());
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.second.cells > b.second.cells; });
    return list;
  }
  /// Cells whose area the library does not give.
  const std::set<std::string>& without_area() const { return without_area_; }

 private:
  /// Everything in a module, once. `gated`: its clock stands while the macro is idle.
  const Sum& whole(const std::string& name, bool gated) {
    const auto [known, is_new] = wholes_.try_emplace({name, gated});
    if (!is_new) return known->second;
    Sum sum;
    const MappedModule& module = design_.modules.at(name);
    sum.buffers = module.buffers;
    for (const auto& [cell, number] : module.cells) {
      sum.cells += number;
      if (design_.library.flip_flops.count(cell) != 0) sum.flip_flops += number;
      if (design_.library.latches.count(cell) != 0) sum.latches += number;
      if (number != 0 && design_.library.sized.count(cell) != 0) sum.sized.insert(cell);
      if (number != 0 && design_.library.areas.count(cell) == 0) without_area_.insert(cell);
    }
    sum.area = own_area(module);
    sum.idle_power = gated ? module.leakage_power : module.idle_power;
    sum.powered = module.idle_power > 0;
    for (const auto& [inner, number] : module.inner)
      add(whole(inner, gated || has_gated_clock(design_, name, inner)), number, &sum);
    return wholes_[{name, gated}] = sum;
  }

  double own_area(const MappedModule& module) const {
    double sum = 0;
    for (const auto& [cell, number] : module.cells)
      if (const auto area = design_.library.areas.find(cell); area != design_.library.areas.end())
        sum += static_cast<double>(number) * area->second;
    return sum;
  }

  static void add(const Sum& part, std::uint64_t number, Sum* sum) {
    sum->cells += number * part.cells;
    sum->flip_flops += number * part.flip_flops;
    sum->latches += number * part.latches;
    sum->sized.insert(part.sized.begin(), part.sized.end());
    sum->buffers += number * part.buffers;
    sum->area += static_cast<double>(number) * part.area;
    sum->idle_power += static_cast<double>(number) * part.idle_power;
    sum->powered = sum->powered || part.powered;
  }

  void walk(const std::string& name, std::uint64_t number, bool gated,
            std::set<std::string>* around) {
    const MappedModule& module = design_.modules.at(name);
    Sum& sum = sums_[module.source];
    const bool outermost = around->insert(module.source).second;
    sum.instances += number;
    sum.own_area += static_cast<double>(number) * own_area(module);
    if (outermost) add(whole(name, gated), number, &sum);
    if (module.path && (!sum.path || module.path->nanoseconds > sum.path->nanoseconds))
      sum.path = module.path;
    for (const auto& [inner, times] : module.inner)
      walk(inner, number * times, gated || has_gated_clock(design_, name, inner), around);
    if (outermost) around->erase(module.source);
  }

  const MappedDesign& design_;
  std::map<std::pair<std::string, bool>, Sum> wholes_;
  std::map<std::string, Sum> sums_;
  std::set<std::string> without_area_;
};

/// Adds lines with one provenance.
class Measured {
 public:
  Measured(const MappedDesign& design, Lines* lines) : lines_(lines) {
    provenance_ = {design.tools, design.library.source, design.library.corner, design.rtl};
  }

  void add(const std::string& section, const std::string& subject, const std::string& name,
           std::variant<std::monostate, std::uint64_t, double> value, const std::string& unit,
           const std::string& note, Method method = Method::measured) {
    const bool known = !std::holds_alternative<std::monostate>(value);
    Line line{section, subject.empty() ? name : subject + "_" + name, value,
              unit,    known ? method : Method::not_available,        {},
              note};
    line.subject = subject;
    if (known) line.provenance = provenance_;
    lines_->push_back(std::move(line));
  }

 private:
  Lines* lines_;
  Provenance provenance_;
};

/// The area of the library's NAND of two inputs, if it and the areas of all cells are given.
std::optional<double> unit_area(const MappedDesign& design, const std::set<std::string>& without) {
  const auto found = design.library.areas.find(design.library.nand2);
  if (!without.empty() || found == design.library.areas.end()) return {};
  return found->second;
}

std::string missing_areas(const MappedDesign& design, const std::set<std::string>& without) {
  return "not given: " + design.library.source + " has no area of " +
         (without.empty() ? design.library.nand2 : *without.begin());
}

std::string area_note(const MappedDesign& design, const std::set<std::string>& sized) {
  std::string names;
  for (const std::string& cell : sized) names += (names.empty() ? "" : ", ") + cell;
  return "of the cells, without wires" +
         (names.empty() ? "" : "; of " + names + " the SIZE in " + design.library.lef);
}

using Value = std::variant<std::monostate, std::uint64_t, double>;

void add_path(const Sum& sum, double period, const std::string& section, const std::string& subject,
              Measured* measured) {
  const std::string no_path = "no path from a register or an input to a register or an output";
  const bool timed = sum.path && sum.path->nanoseconds > 0;
  const std::string why = sum.path ? "not given: the library has no delays" : no_path;
  const auto add = [&](const char* name, Value value, const char* unit, const std::string& note) {
    measured->add(section, subject, name, timed ? value : Value(), unit, timed ? note : why);
  };
  const CellPath path = sum.path.value_or(CellPath());
  add("depth", path.cells, "cells", "on the longest path, without the register at its start");
  add("longest_path", path.nanoseconds, "ns", path.from + " to " + path.to);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", period);
  add("slack", period - path.nanoseconds, "ns", "of a period of " + std::string(text) + " ns");
  add("frequency", timed ? 1e3 / path.nanoseconds : 0.0, "MHz", "of the longest path");
}

void add_size(const MappedDesign& design, const Sum& sum, const std::set<std::string>& without,
              const std::string& section, const std::string& subject, Measured* measured) {
  const std::optional<double> nand2 = unit_area(design, without);
  const std::string why = missing_areas(design, without);
  measured->add(section, subject, "cells", sum.cells, "cells",
                std::to_string(sum.buffers) + " of them buffers in trees");
  measured->add(section, subject, "flip_flops_of_library", sum.flip_flops, "cells",
                "among these cells");
  measured->add(section, subject, "latches_of_library", sum.latches, "cells", "among these cells");
  measured->add(
      section, subject, "nand2_equivalents",
      nand2 ? Value(static_cast<std::uint64_t>(std::llround(sum.area / *nand2))) : Value(), "gates",
      nand2 ? "area over that of " + design.library.nand2 : why);
  measured->add(section, subject, "area", nand2 ? Value(sum.area) : Value(), "um^2",
                nand2 ? area_note(design, sum.sized) : why);
  measured->add(section, subject, "idle_power", sum.powered ? Value(sum.idle_power * 1e3) : Value(),
                "mW",
                sum.powered ? "of the cells: the clock alone toggles, and leakage; behind a clock "
                              "gate leakage alone"
                            : "not given: the library has no power of these cells",
                Method::estimated);
}

}  // namespace

bool has_gated_clock(const MappedDesign& design, const std::string& around,
                     const std::string& module) {
  const auto is_gate = [&](const std::string& name) {
    return design.modules.at(name).source == "axelram_pipeline_clock";
  };
  const auto& inner = design.modules.at(around).inner;
  return !is_gate(module) && std::any_of(inner.begin(), inner.end(),
                                         [&](const auto& one) { return is_gate(one.first); });
}

std::string module_name(const std::string& source, const std::string& top) {
  const std::string own = top.substr(0, top.size() - std::string("top").size());
  for (const std::string& prefix : {own, std::string("axelram_")})
    if (source.rfind(prefix, 0) == 0) return source.substr(prefix.size());
  return source;
}

void add_cells(const MappedDesign* design, Lines* lines) {
  const std::string section = "cells";
  if (design == nullptr) {
    Section missing(lines, section);
    for (const auto& [name, unit] :
         {std::pair("cells", "cells"), std::pair("flip_flops_of_library", "cells"),
          std::pair("latches_of_library", "cells"), std::pair("nand2_equivalents", "gates"),
          std::pair("area", "um^2"), std::pair("idle_power", "mW"), std::pair("depth", "cells"),
          std::pair("longest_path", "ns"), std::pair("slack", "ns"), std::pair("frequency", "MHz"),
          std::pair("reset_path", "ns")})
      missing.missing(name, unit, kReason);
    return;
  }
  const Sums sums(*design);
  Measured measured(*design, lines);
  const std::string& top = design->modules.at(design->top).source;
  for (const auto& [source, sum] : sums.sorted()) {
    if (source != top) continue;
    add_size(*design, sum, sums.without_area(), section, "", &measured);
    add_path(sum, design->period, section, "", &measured);
  }
  if (design->recovery && *design->recovery > 0)
    measured.add(section, "", "reset_path", *design->recovery, "ns",
                 "from the register of the reset to all registers, recovery time included");
  else
    measured.add(section, "", "reset_path", {}, "ns", "no path from the reset");
  for (const auto& [source, sum] : sums.sorted()) {
    if (source == top || sum.cells == 0) continue;
    const std::string subject = module_name(source, top);
    measured.add(kModules, subject, "instances", sum.instances, "instances", "of " + source);
    add_size(*design, sum, sums.without_area(), kModules, subject, &measured);
    const bool given = unit_area(*design, sums.without_area()).has_value();
    measured.add(kModules, subject, "own_area", given ? Value(sum.own_area) : Value(), "um^2",
                 given ? "without the modules in it" : missing_areas(*design, sums.without_area()));
    add_path(sum, design->period, kModules, subject, &measured);
  }
}

}  // namespace axelram::report
