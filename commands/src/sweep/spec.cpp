#include "spec.hpp"

#include <algorithm>
#include <filesystem>

#include "axelram/commands/sweep.hpp"
#include "axelram/files/config_keys.hpp"
#include "axelram/files/messages.hpp"
#include "spec_values.hpp"

namespace axelram::commands::sweeps {
namespace {

using files::DocumentNode;
using files::in_quotes;

constexpr files::DocumentKind kSweep = {"a sweep", "base: paper-d128-b3",
                                        "{\"base\": \"paper-d128-b3\"}"};

void read_base(const DocumentNode& node, Spec* spec) {
  if (node.is_value()) {
    spec->bases.push_back(named(node, *spec));
    return;
  }
  for (const DocumentNode& base : elements(node, *spec)) spec->bases.push_back(named(base, *spec));
}

/// Rejects a key that an earlier entry sets under its other name.
void check_distinct(const files::ConfigKeyRow& key, const std::string& section,
                    const std::string& name, const DocumentNode& entry, const Spec& spec) {
  if (key.section == section && key.key == name)
    spec.fail(entry.line,
              key.former + " is now " + section + "." + name + ", which is set twice; keep one");
}

void read_grid(const DocumentNode& node, Spec* spec) {
  for (const DocumentNode& axis : entries(node, *spec)) {
    const files::ConfigKeyRow key = key_of(axis, *spec);
    for (const Axis& earlier : spec->grid)
      check_distinct(key, earlier.section, earlier.key, axis, *spec);
    for (const DocumentNode& value : elements(axis, *spec)) check_value(key, value, *spec);
    spec->grid.push_back({key.section, key.key, axis.children});
  }
}

void read_list(const DocumentNode& node, Spec* spec) {
  for (const DocumentNode& row : elements(node, *spec)) {
    std::vector<files::ConfigOverride>& changes = spec->list.emplace_back();
    for (const DocumentNode& entry : entries(row, *spec)) {
      const files::ConfigKeyRow key = key_of(entry, *spec);
      for (const files::ConfigOverride& earlier : changes)
        check_distinct(key, earlier.section, earlier.key, entry, *spec);
      check_value(key, entry, *spec);
      changes.push_back({key.section, key.key, entry});
    }
  }
}

void read_reports(const DocumentNode& node, Spec* spec) {
  for (const DocumentNode& report : elements(node, *spec)) {
    const Named name = named(report, *spec);
    const auto group = value_named<report::Group>(name.text);
    if (!group)
      spec->fail(name.line, "report " + in_quotes(name.text) + "; give " +
                                files::any_of(names_of<report::Group>()));
    if (spec->has(*group)) spec->fail(name.line, "report " + name.text + " repeats; keep one");
    spec->groups.push_back(*group);
  }
  std::sort(spec->groups.begin(), spec->groups.end());
}

void read_columns(const DocumentNode& node, Spec* spec) {
  for (const DocumentNode& column : elements(node, *spec)) {
    const Named name = named(column, *spec);
    for (const Named& earlier : spec->columns)
      if (earlier.text == name.text)
        spec->fail(name.line, "column " + in_quotes(name.text) + " repeats; keep one");
    spec->columns.push_back(name);
  }
}

void read_pareto(const DocumentNode& node, Spec* spec) {
  for (const DocumentNode& plot : elements(node, *spec)) {
    Pareto pareto;
    const Choices ends = {"lowest", "highest"}, scales = {"linear", "log"};
    check_names(plot, {"x", "y", "x_best", "y_best", "x_scale", "y_scale", "series"}, *spec);
    pareto.x = named(needed(plot, "x", *spec), *spec);
    pareto.y = named(needed(plot, "y", *spec), *spec);
    pareto.x_highest = second_of(needed(plot, "x_best", *spec), ends, *spec);
    pareto.y_highest = second_of(needed(plot, "y_best", *spec), ends, *spec);
    if (const DocumentNode* const scale = plot.find("x_scale"))
      pareto.x_log = second_of(*scale, scales, *spec);
    if (const DocumentNode* const scale = plot.find("y_scale"))
      pareto.y_log = second_of(*scale, scales, *spec);
    if (const DocumentNode* const series = plot.find("series"))
      pareto.series = named(*series, *spec);
    spec->paretos.push_back(pareto);
  }
}

/// Rows of the sweep, or more than the limit. No sum or product overflows.
std::uint64_t rows_of(const Spec& spec) {
  constexpr std::uint64_t kTooMany = kMaxSweepRows + 1;
  std::uint64_t product = spec.grid.empty() ? (spec.list.empty() ? 1 : 0) : 1;
  for (const Axis& axis : spec.grid) product = std::min(kTooMany, product * axis.values.size());
  return std::min(kTooMany, (product + spec.list.size()) * spec.bases.size());
}

void check_whole(const Spec& spec) {
  if (spec.bases.empty())
    spec.fail(1, "no base; name the configuration that varies, such as base: paper-d128-b3");
  if (rows_of(spec) > kMaxSweepRows)
    spec.fail(1, "more than " + std::to_string(kMaxSweepRows) +
                     " configurations; make several sweeps into one folder, they share points");
  const bool reads = spec.has(report::Group::accuracy) || spec.has(report::Group::cycles);
  if (!spec.trace.text.empty() && !reads)
    spec.fail(spec.trace.line,
              "a trace, which no report of this sweep reads; add accuracy or "
              "cycles to reports, or leave the trace out");
  const std::vector<std::string> keys = spec.keys();
  for (const Pareto& pareto : spec.paretos)
    if (!pareto.series.text.empty() &&
        std::find(keys.begin(), keys.end(), pareto.series.text) == keys.end())
      spec.fail(pareto.series.line,
                "series " + in_quotes(pareto.series.text) + " is no key that varies; " +
                    (keys.empty() ? "leave it out" : "give " + files::any_of(keys)));
}

}  // namespace

bool Spec::has(report::Group group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

std::vector<std::string> Spec::keys() const {
  std::vector<std::string> keys;
  const auto add = [&keys](const std::string& section, const std::string& key) {
    const std::string name = section + "." + key;
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) keys.push_back(name);
  };
  for (const Axis& axis : grid) add(axis.section, axis.key);
  for (const auto& row : list)
    for (const files::ConfigOverride& change : row) add(change.section, change.key);
  return keys;
}

Spec parse_spec(const std::string& text, const std::string& origin, const std::string& folder) {
  const DocumentNode root = files::parse_tree(text, origin, kSweep);
  Spec spec;
  spec.origin = files::printable(origin);
  spec.folder = folder;
  check_names(root, {"base", "grid", "list", "reports", "trace", "columns", "pareto"}, spec);
  if (const DocumentNode* const node = root.find("base")) read_base(*node, &spec);
  if (const DocumentNode* const node = root.find("grid")) read_grid(*node, &spec);
  if (const DocumentNode* const node = root.find("list")) read_list(*node, &spec);
  if (const DocumentNode* const node = root.find("reports")) read_reports(*node, &spec);
  if (const DocumentNode* const node = root.find("trace")) spec.trace = named(*node, spec);
  if (const DocumentNode* const node = root.find("columns")) read_columns(*node, &spec);
  if (const DocumentNode* const node = root.find("pareto")) read_pareto(*node, &spec);
  if (spec.groups.empty())
    spec.groups = {report::Group::operators, report::Group::memory, report::Group::cycles,
                   report::Group::code, report::Group::accuracy};
  check_whole(spec);
  return spec;
}

Spec read_spec(const std::string& path) {
  return parse_spec(files::read_text(path), path,
                    std::filesystem::path(path).parent_path().string());
}

std::vector<std::string> default_columns(const Spec& spec) {
  using Group = report::Group;
  std::vector<std::string> names;
  const auto add = [&](Group group, std::initializer_list<const char*> more) {
    if (spec.has(group)) names.insert(names.end(), more.begin(), more.end());
  };
  add(Group::operators,
      {"write_path_multiplications_per_key", "multiplications_per_query", "squarers_in_hardware",
       "table_multipliers_in_hardware", "adders_in_hardware"});
  add(Group::memory, {"bytes_per_key", "key_store_bits", "table_bits", "compression"});
  add(Group::cycles,
      {"key_interval_cycles", "key_store_latency_cycles", "table_build_latency_cycles",
       "key_read_interval_cycles", "score_latency_cycles"});
  add(Group::code, {"code_stored_bits", "code_overhead"});
  add(Group::unit_gates, {"units_gates", "units_flip_flops"});
  add(Group::code_gates, {"code_encoder_gates", "code_decoder_gates"});
  add(Group::accuracy, {"gaussian_distortion", "gaussian_score_relative_rms_error"});
  if (!spec.trace.text.empty())
    add(Group::accuracy,
        {"trace_score_relative_rms_error", "trace_attention_kl", "trace_attention_top1"});
  return names;
}

}  // namespace axelram::commands::sweeps
