#include "verify/attention/mismatch.hpp"

#include <filesystem>

#include "axelram/files/atomic_file.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/waveform.hpp"
#include "axelram/sim/waveform_file.hpp"
#include "verify/attention/prefix.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCyclesBefore = 2000;

std::optional<Mismatch> outcome(const AttentionMismatch& of, const run::AttentionScript& script) {
  const Manner& manner = of.manner;
  RtlModel model(of.library, manner.seed);
  AttentionDriver driver(of.config, script, model, manner.stalls, manner.seed, manner.early);
  return run_and_compare(of.config, of.mismatch.phase, run::golden_script(of.config, script),
                         driver);
}

/// The fewest first steps that still differ, by halves; all if they do not differ from a fresh
/// macro.
run::AttentionScript shortest(const AttentionMismatch& of) {
  if (!outcome(of, of.script)) return of.script;
  std::size_t holds = 0, differs = of.script.steps.size();
  while (holds + 1 < differs) {
    const std::size_t middle = (holds + differs) / 2;
    if (outcome(of, prefix_of(of.config, of.script, middle)))
      differs = middle;
    else
      holds = middle;
  }
  return prefix_of(of.config, of.script, differs);
}

/// Runs a script again with a waveform, whose last cycles show the mismatch.
void record(const AttentionMismatch& of, const run::AttentionScript& script, std::uint64_t cycle,
            const std::string& fst) {
  const Manner& manner = of.manner;
  const std::string library =
      build_model(of.generated, {true, of.options.fast_compile, of.options.progress});
  RtlModel model(library, manner.seed);
  AttentionDriver driver(of.config, script, model, manner.stalls, manner.seed, manner.early);
  driver.record_waves(fst, cycle > kCyclesBefore ? cycle - kCyclesBefore : 0);
  try {
    driver.run();
  } catch (const SimulationError&) {
    // It has been reported.
  }
}

}  // namespace

std::vector<std::string> dump_attention_mismatch(const AttentionMismatch& found) {
  const files::Config& config = found.config;
  const run::AttentionScript script = shortest(found);
  const std::optional<Mismatch> again = outcome(found, script);
  const Mismatch& mismatch = again ? *again : found.mismatch;
  const std::string stem = (fs::path(found.options.directory) / "mismatch").string();
  WaveformFile waveform(stem + ".fst", true);
  record(found, script, mismatch.cycle, waveform.recording());
  waveform.commit();
  TraceOfScript of = trace_of(config, script);
  of.trace.metadata = {{"phase", mismatch.phase}, {"mismatch", mismatch.text}};
  if (!of.left_out.empty()) of.trace.metadata["left_out"] = of.left_out;
  files::write_trace(stem + ".safetensors", of.trace, true);
  files::write_file(stem + ".gtkw",
                    gtkwave_view(config, fs::absolute(stem + ".fst").string(), mismatch.cycle),
                    true);
  files::write_file(stem + ".txt",
                    "configuration " + config.name + "\nphase " + mismatch.phase + "\ntensor " +
                        mismatch.tensor + "\ncycle " + std::to_string(mismatch.cycle) + "\n" +
                        mismatch.text + "\nsteps " + std::to_string(script.steps.size()) +
                        ", the fewest that differ\n" +
                        (of.left_out.empty() ? "" : "not in the trace: " + of.left_out + "\n") +
                        "\nwaveform:  gtkwave " + stem + ".gtkw\nrun again: axelram run CONFIG " +
                        stem + ".safetensors --engine rtl -o OUT.safetensors\n",
                    true);
  return {stem + ".txt", stem + ".safetensors", stem + ".fst", stem + ".gtkw"};
}

}  // namespace axelram::sim
