#include "axelram/commands/datasheet.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>

#include "../outputs.hpp"
#include "../scripts.hpp"
#include "axelram/commands/report.hpp"
#include "axelram/commands/version.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sha256.hpp"
#include "axelram/report/operators.hpp"
#include "axelram/rtl/generator.hpp"
#include "sections.hpp"

namespace axelram::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWithoutPage = "write --json or --markdown without -o";

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

sheet::Input input_of(const std::string& role, const std::string& path) {
  return {role, files::printable(fs::path(path).filename().string()),
          files::sha256(bytes_of(path))};
}

/// The configuration, the files that it names, and the trace.
std::vector<sheet::Input> inputs_of(const ConfigFile& file, const std::string& trace) {
  std::vector<sheet::Input> inputs = {input_of("configuration", file.path)};
  const fs::path folder = fs::path(file.path).parent_path();
  const auto add = [&](const char* role, const std::string& name) {
    if (!name.empty()) inputs.push_back(input_of(role, (folder / name).string()));
  };
  add("signs", file.config.rotation.signs_file);
  add("center", file.config.rotation.center_file);
  add("balance", file.config.rotation.balance_file);
  add("channels", file.config.channels_file);
  if (!trace.empty()) inputs.push_back(input_of("trace", trace));
  return inputs;
}

nlohmann::ordered_json manifest_of(const files::Config& config) {
  for (const rtl::GeneratedFile& file : rtl::generate(config))
    if (file.path == "axelram.json") return nlohmann::ordered_json::parse(file.text);
  throw std::logic_error("generated RTL has no axelram.json");
}

void fill(const sheet::Facts& facts, DatasheetResult* result) {
  using namespace sheet;
  result->top = facts.manifest["top"];
  result->summary = summary_of(facts);
  result->highlights = highlights_of(facts);
  result->sections = {
      structure_section(facts), configuration_section(facts), ports_section(facts),
      timing_section(facts),    operators_section(facts),     operations_section(facts),
      memory_section(facts),    silicon_section(facts),       token_section(facts),
      accuracy_section(facts),  protection_section(facts),    constants_section(facts)};
  Section further = further_section(facts);
  if (!further.parts.empty()) result->sections.push_back(std::move(further));
  result->sections.push_back(provenance_section(*result));
}

/// The page that scripts/datasheet makes of the JSON.
std::string page_of(const std::string& json) {
  return made_by({"datasheet", "datasheet.html", kWithoutPage}, json);
}

/// Paths and texts: every file, or none if the disk is full. "": no such file.
void write_all(const std::vector<std::pair<std::string, std::string>>& outputs, bool force) {
  std::list<files::AtomicFile> written;
  for (const auto& [path, text] : outputs)
    if (!path.empty()) written.emplace_back(path, force).write(text);
  for (files::AtomicFile& file : written) file.commit();
}

}  // namespace

DatasheetResult datasheet(const DatasheetOptions& options, const Progress& progress,
                          const Show<DatasheetResult>& show) {
  if (options.html.empty() && options.json.empty() && options.markdown.empty())
    throw files::InputError("no output; name one with -o, --json or --markdown");
  const ConfigFile file = read_hardware_config(options.config);
  std::optional<files::Trace> trace;
  if (!options.trace.empty()) trace = files::read_trace(options.trace, file.config);
  Outputs outputs(options.force, {options.trace});
  outputs.protect(file);
  if (!options.synthesis.liberty.empty()) outputs.protect(options.synthesis.liberty);
  for (const std::string& output : {options.html, options.json, options.markdown})
    outputs.add(output);
  if (!options.html.empty()) run_script("datasheet", {"--check"}, kWithoutPage);

  DatasheetResult result;
  result.configuration = file.config.name;
  result.version = kVersion;
  result.commit = kCommit;
  result.inputs = inputs_of(file, options.trace);
  const std::vector<report::Line> lines =
      report_lines(file.config, trace, options.synthesis, progress);
  result.synthesis = options.synthesis.level();
  result.disagreements = report::disagreements(lines);
  for (const report::Line& line : lines)
    if (line.provenance) result.measured = line.provenance;
  const nlohmann::ordered_json manifest = manifest_of(file.config);
  fill({file.config, trace, lines, manifest}, &result);
  show_figures(show, result);
  const std::string json = to_json(result);
  write_all({{options.html, options.html.empty() ? "" : page_of(json)},
             {options.json, json},
             {options.markdown, options.markdown.empty() ? "" : to_markdown(result)}},
            options.force);
  return result;
}

}  // namespace axelram::commands
