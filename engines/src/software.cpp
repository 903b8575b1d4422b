// golden and fast: the same macro and caches, built from two tables of units.
#include "axelram/datapath.hpp"
#include "axelram/fast.hpp"
#include "axelram/faults/golden_engine.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/transformer/transformer.hpp"
#include "axelram/unit_table.hpp"
#include "rows.hpp"

namespace axelram::engines {
namespace {

using Units = const UnitTable& (*)();

template <Units units>
std::vector<std::uint8_t> encode(const EncodeRequest& request) {
  return encode_on_cpu(request, units());
}

template <Units units>
RunOutcome run(const RunRequest& request) {
  RunOutcome outcome;
  outcome.seconds = seconds_of([&] {
    if (!request.config.attention.given) {
      outcome.result = run::golden(request.config, request.trace, units());
      return;
    }
    run::AttentionRun run = run::golden_attention(request.config, request.trace, units());
    outcome.result = std::move(run.result);
    outcome.events = run.events;
  });
  return outcome;
}

template <Units units>
faults::EngineFactory faults_of(const FaultsRequest& request) {
  return faults::golden_engines(request.config, request.trace, units());
}

void accept(const std::vector<caches::Specification>&) {}

template <Units units>
PerplexityModel perplexity_of(const PerplexityRequest& request) {
  const caches::Shape shape = caches::shape_of(request.checkpoint);
  std::vector<std::unique_ptr<transformer::KvCache>> made;
  for (const caches::Specification& one : request.specifications)
    made.push_back(caches::make_cache(one, shape, units()));
  return model_on_cpu(request, std::move(made));
}

template <Units units>
Engine software_engine(EngineKind kind) {
  return {kind, run<units>, faults_of<units>, PerplexityJob{accept, perplexity_of<units>},
          encode<units>};
}

}  // namespace

std::vector<std::uint8_t> encode_on_cpu(const EncodeRequest& request, const UnitTable& units) {
  const files::Config& config = request.config;
  const Parameters& p = config.parameters;
  Datapath encoder(p, std::make_shared<const CodebookRom>(codebook_rom(p)), config.head_rotation,
                   config.center, units);
  encoder.set_feedback(request.feedback);
  return encoder.records(request.keys.data(),
                         request.keys.size() / static_cast<std::size_t>(p.head_dim));
}

Engine golden_engine() { return software_engine<reference_units>(EngineKind::golden); }
Engine fast_engine() { return software_engine<fast_units>(EngineKind::fast); }

}  // namespace axelram::engines
