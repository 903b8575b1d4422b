#include "verify/macro/mismatch_dump.hpp"

#include <algorithm>
#include <filesystem>

#include "axelram/align.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/half.hpp"
#include "axelram/run/overloaded.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/waveform.hpp"
#include "axelram/sim/waveform_file.hpp"
#include "verify/macro/scoreboard.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCyclesBefore = 2000;

bool finite(const std::vector<std::uint16_t>& vector, ElementFormat format) {
  return std::all_of(vector.begin(), vector.end(),
                     [format](std::uint16_t element) { return is_finite(element, format); });
}

/// Keys in the store and queries since, after the first `commands_done` commands. A trace has no
/// place for records from outside.
files::Trace trace_of(const MismatchCase& found, std::size_t commands_done) {
  files::Trace trace;
  const Parameters& p = found.config.parameters;
  trace.element_format = p.element_format;
  trace.head_dim = p.head_dim;
  trace.metadata = {{"phase", found.mismatch.phase}, {"mismatch", found.mismatch.text}};
  const auto capacity = static_cast<std::size_t>(found.config.max_keys);
  const auto append = [&](const Vector& vector, std::vector<std::uint16_t>* rows) {
    if (finite(vector, p.element_format)) rows->insert(rows->end(), vector.begin(), vector.end());
  };
  const auto clear = [&] {
    trace.keys.clear();
    trace.queries.clear();
  };
  for (std::size_t i = 0; i < commands_done; ++i)
    std::visit(
        run::Overloaded{
            [&](const command::Key& key) {
              if (trace.key_count() < capacity) append(key.vector, &trace.keys);
            },
            [&](const command::Query& query) { append(query.vector, &trace.queries); },
            [](const command::Record&) {}, [&](const command::KeyThenClear&) { clear(); },
            [&](const command::Clear&) { clear(); },
            [&](const command::ClearBeforeNext&) { clear(); },
            [&](const command::Reset&) { clear(); }, [](const command::Drain&) {},
            [](const command::ClearErrors&) {}, [](const command::ClearErrorsAtRejection&) {},
            [](const command::Inject&) {}, [](const command::Protect&) {},
            [](const command::Wait&) {}, [](const command::AwaitScrub&) {}},
        found.commands[i]);
  return trace;
}

/// Runs the phase again with a waveform. The same seeds give the same cycles.
std::size_t replay(const MismatchCase& found, const std::string& fst) {
  const std::string library =
      build_model(found.generated, {true, found.options.fast_compile, found.options.progress});
  RtlModel model(library, found.seed);
  Scoreboard scoreboard(found.config, model, found.commands);
  Driver driver(found.config, model, found.stalls, found.seed);
  scoreboard.watch(&driver);
  const std::uint64_t cycle = found.mismatch.cycle;
  driver.record_waves(fst, cycle > kCyclesBefore ? cycle - kCyclesBefore : 0);
  try {
    driver.run(found.commands, scoreboard);
  } catch (const SimulationError&) {
    driver.idle(10);
  }
  return driver.commands_done();
}

}  // namespace

std::vector<std::string> dump_mismatch(const MismatchCase& found) {
  const fs::path folder = found.options.directory;
  const std::string stem = (folder / "mismatch").string();
  WaveformFile waveform(stem + ".fst", true);
  const std::size_t done = replay(found, waveform.recording());
  waveform.commit();
  files::write_trace(stem + ".safetensors", trace_of(found, done), true);
  files::write_file(
      stem + ".gtkw",
      gtkwave_view(found.config, fs::absolute(stem + ".fst").string(), found.mismatch.cycle), true);
  files::write_file(stem + ".txt",
                    "configuration " + found.config.name + "\nphase " + found.mismatch.phase +
                        "\ntensor " + found.mismatch.tensor + "\ncycle " +
                        std::to_string(found.mismatch.cycle) + "\n" + found.mismatch.text +
                        "\n\nwaveform:  gtkwave " + stem + ".gtkw\nrun again: axelram run CONFIG " +
                        stem + ".safetensors --engine rtl -o OUT.safetensors\n",
                    true);
  return {stem + ".txt", stem + ".safetensors", stem + ".fst", stem + ".gtkw"};
}

}  // namespace axelram::sim
