#include "axelram/commands/list.hpp"

#include "axelram/caches/kinds.hpp"
#include "axelram/code.hpp"
#include "axelram/commands/pretrained.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/config_keys.hpp"
#include "axelram/parameters.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows = {};
};

template <class Parts>
std::string joined(const Parts& parts, const char* separator) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : separator) + std::string(part);
  return text;
}

Table codes() {
  Table table{{"name", "corrects", "examples", "help"}};
  for (const CodeFamily& family : code_families())
    table.rows.push_back({std::string(family.name), std::to_string(family.correction_radius),
                          joined(family.examples, " "), std::string(family.help)});
  return table;
}

template <class T>
Table named() {
  Table table{{"name", "help"}};
  for (const EnumRow<T>& row : EnumNames<T>::rows)
    table.rows.push_back({std::string(row.name), std::string(row.help)});
  return table;
}

Table caches_table() {
  Table table{{"name", "parameters", "devices", "help"}};
  for (const caches::CacheKind& kind : caches::cache_kinds()) {
    std::vector<std::string> parameters;
    for (const caches::CacheParameter& p : kind.parameters) parameters.push_back(p.text());
    table.rows.push_back(
        {kind.name, joined(parameters, ","), joined(kind.devices, " "), kind.help});
  }
  return table;
}

/// "yes", or the reason why an engine does not do a job.
template <class Function>
std::string ability(const engines::Job<Function>& job) {
  const auto* const why = std::get_if<engines::Unavailable>(&job);
  return why == nullptr ? "yes" : "no: " + why->reason;
}

Table engines_table() {
  Table table{{"name", "help", "run", "faults", "perplexity"}};
  for (const engines::Engine& engine : engines::engine_table())
    for (const EnumRow<EngineKind>& row : EnumNames<EngineKind>::rows)
      if (row.value == engine.kind)
        table.rows.push_back({std::string(row.name), std::string(row.help), ability(engine.run),
                              ability(engine.faults), ability(engine.perplexity)});
  return table;
}

Table configurations() {
  Table table{{"name", "head_dim", "index_bits", "element_format", "codebook", "max_keys", "code"}};
  for (const std::string& name : files::shipped_configs()) {
    const files::Config config = files::find_config(name);
    const Parameters& p = config.parameters;
    table.rows.push_back({name, std::to_string(p.head_dim), std::to_string(p.index_bits),
                          name_of(p.element_format), name_of(p.codebook),
                          std::to_string(config.max_keys), config.ecc.code});
  }
  return table;
}

Table keys() {
  Table table{{"name", "type", "range", "default", "help"}};
  for (const files::ConfigKeyRow& row : files::config_keys())
    table.rows.push_back(
        {row.section + "." + row.key, row.type, row.range, row.default_value, row.help});
  return table;
}

Table models() {
  Table table{{"name", "bytes", "licence", "file"}};
  for (const PretrainedModel& model : pretrained_models()) {
    table.rows.push_back({model.name, std::to_string(model.bytes), model.licence,
                          model.cached() ? model.path() : "none: run " + model.command()});
  }
  return table;
}

Table table_of(ListKind kind) {
  switch (kind) {
    case ListKind::codes:
      return codes();
    case ListKind::codebooks:
      return named<CodebookKind>();
    case ListKind::caches:
      return caches_table();
    case ListKind::engines:
      return engines_table();
    case ListKind::configurations:
      return configurations();
    case ListKind::keys:
      return keys();
    case ListKind::models:
      return models();
  }
  throw std::logic_error("a kind of list has no table");
}

}  // namespace

ListResult list(const ListOptions& options, const Show<ListResult>& show) {
  const bool file = !options.json.empty() && options.json != "-";
  if (file) Outputs(options.force, {}).add(options.json);
  Table table = table_of(options.kind);
  ListResult result{options.kind, std::move(table.columns), std::move(table.rows)};
  show_figures(show, result);
  if (file) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const ListResult& result) {
  Json rows = Json::array();
  for (const std::vector<std::string>& cells : result.rows) {
    Json row = Json::object();
    for (std::size_t c = 0; c < cells.size(); ++c) row[result.columns[c]] = cells[c];
    rows.push_back(std::move(row));
  }
  return text_of(rows);
}

}  // namespace axelram::commands
