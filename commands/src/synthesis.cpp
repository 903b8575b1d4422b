#include "axelram/commands/synthesis.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "axelram/commands/model.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/files/sha256.hpp"
#include "axelram/report/activity.hpp"
#include "axelram/report/baseline.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/rtl/generator.hpp"
#include "scripts.hpp"

namespace axelram::commands {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Names for libraries of Debian's packages.
constexpr const char* kKnown[] = {"osu018", "osu035"};

/// The file of a library by its name or path.
std::string find_library(const std::string& name) {
  if (fs::exists(name)) return name;
  for (const std::string known : kKnown) {
    if (name != known) continue;
    std::string path = "/usr/share/qflow/tech/" + known + "/" + known + "_stdcells.lib";
    if (fs::exists(path)) return path;
    throw files::EnvironmentError(
        path + ": no such file; run scripts/setup or apt-get install qflow-tech-" + known);
  }
  return name;  // whose reader says what is wrong
}

Json json_of(const files::BufferCell& buffer) {
  return {{"name", buffer.name}, {"input", buffer.input}, {"output", buffer.output}};
}

Json json_of(const std::optional<files::LatchCell>& latch) {
  if (!latch) return nullptr;
  return {{"name", latch->name},
          {"data", latch->data},
          {"enable", latch->enable},
          {"output", latch->output},
          {"high", latch->high}};
}

std::string digest_of(const std::vector<rtl::GeneratedFile>& generated) {
  std::string text;
  for (const rtl::GeneratedFile& file : generated)
    if (file.path.rfind("rtl/", 0) == 0) text += file.path + '\0' + file.text + '\0';
  return "sha256 " + files::sha256(text).substr(0, 12);
}

report::MappedModule module_of(const Json& json, double period) {
  report::MappedModule module;
  module.source = json.at("source");
  module.cells = json.at("cells").get<std::map<std::string, std::uint64_t>>();
  module.buffers = json.at("buffers");
  module.inner = json.at("inner").get<std::map<std::string, std::uint64_t>>();
  module.instances = json.at("instances").get<std::map<std::string, std::string>>();
  const Json& power = json.at("power");
  module.idle_power = power.at("idle");
  module.busy_power = power.at("busy");
  module.leakage_power = power.at("leakage");
  const Json& paths = json.at("paths");
  if (paths.contains("clk_i")) {
    const Json& path = paths.at("clk_i");
    module.path = {period - path.at("slack").get<double>(), path.at("depth"), path.at("from"),
                   path.at("to")};
  }
  return module;
}

/// Adds what scripts/cells found.
void add_cells(const Json& result, report::MappedDesign* design) {
  for (const std::string tool : result.at("tools"))
    design->tools += (design->tools.empty() ? "" : ", ") + tool;
  design->top = result.at("top");
  for (const auto& [name, module] : result.at("modules").items())
    design->modules[name] = module_of(module, design->period);
  const Json& top = result.at("modules").at(design->top).at("paths");
  if (top.contains("**async_default**"))
    design->recovery = design->period - top.at("**async_default**").at("slack").get<double>();
}

/// Runs scripts/cells on generated RTL. `latches`: it has latches.
report::MappedDesign map_to_cells(const std::vector<rtl::GeneratedFile>& generated, bool latches,
                                  const SynthesisOptions& options, const Progress& progress) {
  const std::string path = find_library(options.liberty);
  report::MappedDesign design;
  design.library = files::read_cell_library(path, options.corner);
  design.period = options.period;
  if (latches && !design.library.latch)
    throw files::InputError(
        files::printable(path) +
        ": no latch of data and enable alone; table_storage: latches needs one");

  const files::ScratchFolder scratch;
  const std::string folder = scratch.file("macro");
  rtl::write_generated(generated, folder, true);
  design.rtl = digest_of(generated);
  const std::vector<std::string> sources = rtl::sources_of(generated);
  const files::CellLibrary& library = design.library;
  const Json settings = {{"folder", folder},
                         {"sources", sources},
                         {"top", rtl::top_of(sources)},
                         {"period", options.period},
                         {"jobs", thread_count(options.threads)},
                         {"library",
                          {{"liberty", fs::absolute(path).string()},
                           {"digest", library.digest},
                           {"conditions", library.conditions},
                           {"buffer", json_of(library.buffer)},
                           {"tree_buffer", json_of(library.tree_buffer)},
                           {"flip_flops", library.flip_flops},
                           {"latches", library.latches},
                           {"latch", json_of(library.latch)}}}};
  const ScriptTask task{"cells", "cells.json", "leave --liberty out", lines_of(progress)};
  const std::string text = settings.dump(2, ' ', false, Json::error_handler_t::replace);
  const std::string made = made_by(task, text);
  try {
    add_cells(Json::parse(made), &design);
  } catch (const Json::exception& error) {
    throw wrong_output(
        task, "wrote a cells.json that cannot be read (" + files::printable(error.what()) + ")");
  }
  return design;
}

}  // namespace

report::Synthesis SynthesisOptions::level() const {
  if (synthesize) return report::Synthesis::gates;
  return netlist ? report::Synthesis::operators : report::Synthesis::none;
}

std::vector<report::Line> report_lines(const files::Config& config,
                                       const std::optional<files::Trace>& trace,
                                       const SynthesisOptions& options, const Progress& progress) {
  if (!(options.period > 0) || !std::isfinite(options.period))
    throw files::InputError("--period must be a number of nanoseconds above 0");
  std::optional<report::DecodingStep> step;
  std::optional<report::Activity> activity;
  if (options.shape) step = {*options.shape, options.period};
  std::optional<report::MappedDesign> mapped;
  if (!options.liberty.empty())
    mapped = map_to_cells(rtl::generate(config), files::latch_table(config), options, progress);
  std::map<report::BaselineKind, report::MeasuredBaseline> baselines;
  if (mapped && step) {
    activity = report::measure_activity(config, lines_of(progress));
    step->activity = &*activity;
    for (const report::BaselineKind kind : report::kBaselines) {
      const report::Baseline baseline = report::baseline_of(config, kind);
      if (!baseline.missing.empty()) continue;
      baselines[kind] = {map_to_cells(baseline.files, false, options, progress),
                         report::measure_baseline(config, kind, lines_of(progress))};
    }
    step->baselines = &baselines;
  }
  return report::report(config, trace, options.level(), mapped ? &*mapped : nullptr,
                        step ? &*step : nullptr);
}

}  // namespace axelram::commands
