#include "rtl.hpp"

#include "axelram/fast.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/engine.hpp"
#include "rows.hpp"

namespace axelram::engines {
namespace {

constexpr int kLongestPause = 8;  // cycles

RunOutcome simulate(const RunRequest& request) {
  sim::BuildOptions build;
  build.waves = !request.waves.empty();
  build.progress = request.tell;
  const std::string library = sim::build_model(rtl::generate_observed(request.config), build);
  const sim::Stalls stalls{request.stalls, request.stalls, kLongestPause};
  RunOutcome outcome;
  outcome.seconds = seconds_of([&] {
    const auto run = request.config.attention.given ? sim::run_rtl_attention : sim::run_rtl;
    sim::RtlRun done =
        run(request.config, request.trace, library, stalls, request.seed, request.waves);
    outcome.result = std::move(done.result);
    outcome.cycles = done.cycles;
    outcome.events = done.events;
  });
  return outcome;
}

/// The baseline is fp16 or f32, which the hardware does not store.
void check(const std::vector<caches::Specification>& specifications) {
  for (std::size_t i = 1; i < specifications.size(); ++i) {
    caches::check_whole(specifications[i], "--engine rtl");
    check_rtl_cache(specifications[i]);
  }
}

PerplexityModel make(const PerplexityRequest& request) {
  const caches::Shape shape = caches::shape_of(request.checkpoint.architecture);
  std::vector<std::unique_ptr<transformer::KvCache>> made;
  for (const caches::Specification& one : request.specifications)
    made.push_back(made.empty() ? caches::make_cache(one, shape)
                                : rtl_cache(one, shape, request.tell));
  return model_on_cpu(request, std::move(made));
}

/// The encoder is software.
std::vector<std::uint8_t> encode_in_software(const EncodeRequest& request) {
  return encode_on_cpu(request, fast_units());
}

}  // namespace

Engine rtl_engine() {
  return {EngineKind::rtl, simulate, rtl_faults, PerplexityJob{check, make}, encode_in_software};
}

}  // namespace axelram::engines
