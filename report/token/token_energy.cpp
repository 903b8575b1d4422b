#include "token/token_energy.hpp"

#include <cstdio>
#include <functional>

#include "axelram/report/activity.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/report/token.hpp"
#include "axelram/rtl/layout.hpp"
#include "sram/estimate.hpp"
#include "token/token_lines.hpp"

namespace axelram::report {
namespace {

constexpr const char* kWithoutLiberty = "--liberty FILE: the cells whose power it is";

struct Instance {
  std::string module;
  bool gated;  ///< its clock stands while the macro is idle
};

/// All instances, by path from the top, whose path is "".
std::map<std::string, Instance> instances_of(const MappedDesign& design) {
  std::map<std::string, Instance> found;
  const std::function<void(const std::string&, const std::string&, bool)> walk =
      [&](const std::string& path, const std::string& module, bool gated) {
        found[path] = {module, gated};
        for (const auto& [name, inner] : design.modules.at(module).instances)
          walk(path.empty() ? name : path + "." + name, inner,
               gated || has_gated_clock(design, module, inner));
      };
  walk("", design.top, false);
  return found;
}

/// Adds what scopes toggle to the module of the innermost instance around them.
void add_toggles(const Activity& activity, const std::map<std::string, Instance>& instances,
                 std::map<std::string, ModuleActivity>* modules) {
  for (const auto& [scope, toggles] : activity.scopes) {
    std::string path = scope;
    while (instances.count(path) == 0) {
      const std::size_t dot = path.rfind('.');
      path = dot == std::string::npos ? "" : path.substr(0, dot);
    }
    Toggles& sum = (*modules)[instances.at(path).module].toggles;
    sum.bits += toggles.bits;
    sum.write += toggles.write;
    sum.query += toggles.query;
    sum.score += toggles.score;
  }
}

double share(std::uint64_t toggles, std::uint64_t bits, std::uint64_t events) {
  return static_cast<double>(toggles) / static_cast<double>(bits) / static_cast<double>(events);
}

}  // namespace

std::map<std::string, ModuleActivity> activity_of_modules(const MappedDesign& design,
                                                          const Activity& activity) {
  const std::map<std::string, Instance> instances = instances_of(design);
  std::map<std::string, ModuleActivity> modules;
  for (const auto& [path, instance] : instances) {
    ModuleActivity& module = modules[instance.module];
    ++module.instances;
    if (instance.gated) ++module.gated;
  }
  add_toggles(activity, instances, &modules);
  return modules;
}

LogicEnergy logic_energy(const MappedDesign& design, const Activity& activity, double period,
                         std::uint64_t clock_cycles) {
  LogicEnergy sum;
  double gated_clock = 0;  // mW of modules whose clock stands, while it does not
  for (const auto& [name, module] : activity_of_modules(design, activity)) {
    const MappedModule& mapped = design.modules.at(name);
    const auto instances = static_cast<double>(module.instances);
    const double gated =
        static_cast<double>(module.gated) * (mapped.idle_power - mapped.leakage_power) * 1e3;
    gated_clock += gated;
    sum.idle_power += instances * mapped.idle_power * 1e3 - gated;
    const double swing = instances * (mapped.busy_power - mapped.idle_power) * period * 1e3;
    if (swing == 0) continue;
    const Toggles& toggles = module.toggles;
    if (toggles.bits == 0) {
      sum.missing = "the simulation has no signals of " + mapped.source;
      return sum;
    }
    if (activity.keys_written > 0)
      sum.key += swing * share(toggles.write, toggles.bits, activity.keys_written);
    sum.query += swing * share(toggles.query, toggles.bits, activity.queries);
    sum.score += swing * share(toggles.score, toggles.bits, activity.keys_scored);
  }
  const double clock = gated_clock * static_cast<double>(clock_cycles) * period;
  sum.key += clock;
  sum.query += clock;
  if (sum.idle_power == 0 || sum.score == 0)
    sum.missing = "not given: " + design.library.source + " has no power";
  return sum;
}

void add_activity(const MappedDesign& design, const Activity& activity, Lines* lines) {
  std::map<std::string, ModuleActivity> sources;
  for (const auto& [name, module] : activity_of_modules(design, activity)) {
    ModuleActivity& sum = sources[design.modules.at(name).source];
    sum.toggles.bits += module.toggles.bits;
    sum.toggles.write += module.toggles.write;
    sum.toggles.query += module.toggles.query;
    sum.toggles.score += module.toggles.score;
  }
  const std::string& top = design.modules.at(design.top).source;
  for (const auto& [source, module] : sources) {
    const Toggles& toggles = module.toggles;
    if (toggles.bits == 0) continue;
    const std::string subject = module_name(source, top);
    const auto add = [&](const char* name, std::uint64_t changes, std::uint64_t cycles,
                         const char* window) {
      Line line{"activity of modules",
                subject + name,
                share(changes, toggles.bits, cycles),
                "toggles",
                Method::measured,
                {},
                "of a bit of " + std::to_string(toggles.bits) + " in a cycle, " + window};
      line.subject = subject;
      lines->push_back(std::move(line));
    };
    add("_write_activity", toggles.write, activity.write_cycles, "while a key is written");
    add("_query_activity", toggles.query, activity.query_cycles, "before a query reads");
    add("_score_activity", toggles.score, activity.score_cycles, "while a query reads");
  }
}

void add_token_energy(const files::Config& config, const DecodingStep* step,
                      const MappedDesign* design, const char* without_step, Lines* lines) {
  Section section(lines, "a token");
  std::string missing;
  LogicEnergy logic;
  const rtl::Layout layout(config);
  const auto clock_cycles = layout.clock_cycles == 0
                                ? std::uint64_t{0}
                                : static_cast<std::uint64_t>(layout.rows + layout.clock_cycles);
  const std::string clock = clock_cycles == 0 ? ""
                                              : "; the clock of the write path runs " +
                                                    std::to_string(clock_cycles) + " cycles";
  if (step == nullptr)
    missing = without_step;
  else if (design == nullptr || step->activity == nullptr)
    missing = kWithoutLiberty;
  else
    missing = (logic = logic_energy(*design, *step->activity, step->period, clock_cycles)).missing;

  const auto add = [&](const char* name, double value, const char* unit, const std::string& note,
                       const std::string& why_not = "") {
    const std::string& why = missing.empty() ? why_not : missing;
    if (why.empty())
      section.figure(name, value, unit, Method::estimated, note);
    else
      section.missing(name, unit, why);
  };
  const ModelShape shape = step != nullptr ? step->shape : ModelShape{1, 1, 1, 1};
  const StepCounts counts = counts_of(config, shape);
  const Activity none, &activity = step != nullptr && step->activity ? *step->activity : none;
  const double micro = 1e-6;  // of pJ
  const auto times = [](std::uint64_t number, double each) {
    return static_cast<double>(number) * each;
  };
  const std::uint64_t queries = shape.layers * shape.query_heads * counts.macros_of_head;
  const std::uint64_t scores = shape.layers * shape.query_heads * shape.context;
  const double period = step != nullptr ? step->period : 0;
  const double idle = times(counts.macros * counts.layer_cycles, logic.idle_power * period) * micro;
  const double written = times(shape.layers * shape.kv_heads, logic.key) * micro;
  const double read = (times(queries, logic.query) + times(scores, logic.score)) * micro;
  const std::string cells = "; cells alone: no glitches, wires, clock tree or SRAM";

  add("token_macro_idle_power", logic.idle_power, "mW",
      "of a macro: the clock alone toggles, " +
          std::string(clock.empty() ? "" : "not that of the write path, ") + "and leakage" + cells);
  add("token_key_logic_energy", logic.key, "pJ",
      "above idle, of a key written; activity of " + std::to_string(activity.keys_written) +
          " Gaussian keys" + clock + cells);
  add("token_query_logic_energy", logic.query, "pJ",
      "above idle, of a query in a macro before it reads; activity of " +
          std::to_string(activity.queries) + " Gaussian queries" + clock + cells);
  add("token_score_logic_energy", logic.score, "pJ",
      "above idle, of a key scored; activity of " + std::to_string(activity.keys_scored) +
          " scores" + cells);
  add("token_logic_idle_energy", idle, "uJ",
      std::to_string(counts.macros) +
          " macros, each while its layer is at work; the clocks of "
          "other layers stand, and their leakage is left out");
  add("token_logic_write_energy", written, "uJ", "a key of each layer and KV head");
  add("token_logic_read_energy", read, "uJ",
      std::to_string(queries) + " queries in macros, " + std::to_string(scores) + " scores");
  const SramEstimate sram = sram_of(config);
  const double reads = times(counts.reads, sram.read.value.value_or(0)) * micro;
  const double writes = times(counts.writes, sram.write.value.value_or(0)) * micro;
  const std::string no_read = sram.read.value ? "" : "SRAM reads: " + sram.read.note;
  const std::string no_write =
      !no_read.empty() || sram.write.value ? no_read : "SRAM writes: " + sram.write.note;
  add("token_read_energy", idle + read + reads, "uJ",
      "idle and read energy of the logic, and reads of the SRAM: all but the new keys", no_read);
  add("token_energy", idle + read + written + reads + writes, "uJ",
      "that, and the new keys in the logic and in the SRAM", no_write);
  add_token_baselines(config, step, missing, lines);
}

}  // namespace axelram::report
