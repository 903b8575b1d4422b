#include "axelram/engines/engine.hpp"
#include "axelram/files/messages.hpp"
#include "rows.hpp"

namespace axelram::engines {
namespace {

/// A kind without a row does not compile.
Engine row(EngineKind kind) {
  switch (kind) {
    case EngineKind::golden:
      return golden_engine();
    case EngineKind::fast:
      return fast_engine();
    case EngineKind::rtl:
      return rtl_engine();
    case EngineKind::cuda:
      return cuda_engine();
  }
  throw std::logic_error("an engine has no row");
}

}  // namespace

const std::vector<Engine>& engine_table() {
  static const std::vector<Engine> table = [] {
    std::vector<Engine> rows;
    for (const EnumRow<EngineKind>& named : EnumNames<EngineKind>::rows)
      rows.push_back(row(named.value));
    return rows;
  }();
  return table;
}

const Engine& engine(EngineKind kind) {
  for (const Engine& one : engine_table())
    if (one.kind == kind) return one;
  throw std::logic_error("an engine has no name");
}

std::string engine_names() { return files::any_of(names_of<EngineKind>()); }

EngineKind engine_named(const std::string& name) {
  if (const auto kind = value_named<EngineKind>(name)) return *kind;
  if (name == "reference") throw files::InputError("engine 'reference' is called golden now");
  throw files::InputError("'" + name + "' is no engine; give " + engine_names());
}

void reject(EngineKind kind, const Unavailable& why) {
  const std::string text = "--engine " + name_of(kind) + ": " + why.reason;
  if (why.environment) throw files::EnvironmentError(text);
  throw files::InputError(text);
}

RunOutcome run(EngineKind kind, const RunRequest& request) {
  return require(kind, engine(kind).run)(request);
}

faults::EngineFactory fault_engines(EngineKind kind, const FaultsRequest& request) {
  return require(kind, engine(kind).faults)(request);
}

void check_perplexity(EngineKind kind, const std::vector<caches::Specification>& specifications) {
  require(kind, engine(kind).perplexity).check(specifications);
}

PerplexityModel perplexity_model(EngineKind kind, const PerplexityRequest& request) {
  return require(kind, engine(kind).perplexity).make(request);
}

}  // namespace axelram::engines
