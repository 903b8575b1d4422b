#include "axelram/caches/tuned.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/files/messages.hpp"
#include "rows.hpp"

namespace axelram::engines {
namespace {

/// The row of a program that provides no kernels.
Engine without_cuda() {
  const Unavailable why{
      "this axelram was built without CUDA; use another engine, or build it with scripts/build "
      "--cuda axelram_program (CUDA toolkit)",
      true};
  return {EngineKind::cuda, why, why, why, why};
}

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
      return without_cuda();
  }
  throw std::logic_error("an engine has no row");
}

std::vector<Engine>& mutable_table() {
  static std::vector<Engine> table = [] {
    std::vector<Engine> all;
    for (const EnumRow<EngineKind>& named : EnumNames<EngineKind>::rows)
      all.push_back(row(named.value));
    return all;
  }();
  return table;
}

}  // namespace

const std::vector<Engine>& engine_table() { return mutable_table(); }

void provide(const Engine& provided) {
  for (Engine& one : mutable_table())
    if (one.kind == provided.kind) one = provided;
}

const Engine& engine(EngineKind kind) {
  for (const Engine& one : engine_table())
    if (one.kind == kind) return one;
  throw std::logic_error("an engine has no name");
}

std::string engine_names() { return files::any_of(names_of<EngineKind>()); }

EngineKind engine_named(const std::string& name) {
  if (const auto kind = value_named<EngineKind>(name)) return *kind;
  if (name == "reference")
    throw files::InputError("there is no engine 'reference'; the scalar reference is golden");
  throw files::InputError("'" + name + "' is no engine; give " + engine_names());
}

void reject(EngineKind kind, const Unavailable& why) {
  const std::string text = "--engine " + name_of(kind) + ": " + why.reason;
  if (why.environment) throw files::EnvironmentError(text);
  throw files::InputError(text);
}

std::vector<std::uint8_t> encode(EngineKind kind, const EncodeRequest& request) {
  return require(kind, engine(kind).encode)(request);
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
  caches::check_tuned(request.specifications, request.checkpoint.path);
  return require(kind, engine(kind).perplexity).make(request);
}

}  // namespace axelram::engines
