#include "axelram/run/script.hpp"
#include "axelram/sim/engine.hpp"
#include "rtl/attention/driver.hpp"

namespace axelram::sim {

RtlRun run_rtl_attention(const files::Config& config, const files::Trace& trace,
                         const std::string& library, Stalls stalls, std::uint64_t seed,
                         const std::string& waves) {
  RtlModel model(library, static_cast<unsigned>(seed % 0x7fffffffU) + 1);
  if (!waves.empty()) model.start_waves(waves);
  const run::AttentionScript script = run::script_of(config, trace);
  AttentionDriver driver(config, script, model, stalls, seed);
  driver.run();
  RtlRun done{driver.take_result(), driver.cycles(), driver.events()};
  if (trace.commands) done.result.refused = driver.refused();
  return done;
}

}  // namespace axelram::sim
