#include "mismatch_dump.hpp"

#include <algorithm>
#include <filesystem>

#include "axelram/align.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/half.hpp"
#include "axelram/sim/build.hpp"
#include "scoreboard.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kCyclesBefore = 2000;

bool finite(const std::vector<std::uint16_t>& vector, ElementFormat format) {
  return std::all_of(vector.begin(), vector.end(),
                     [format](std::uint16_t element) { return is_finite(element, format); });
}

/// The keys that the store held and the queries since, at the end of the commands done.
files::Trace trace_of(const MismatchCase& found, std::size_t commands_done) {
  files::Trace trace;
  const Parameters& p = found.config.parameters;
  trace.element_format = p.element_format;
  trace.head_dim = p.head_dim;
  trace.metadata = {{"phase", found.mismatch.phase}, {"mismatch", found.mismatch.text}};
  const auto capacity = static_cast<std::size_t>(found.config.max_keys);
  for (std::size_t i = 0; i < commands_done; ++i) {
    const Command& command = found.commands[i];
    if (command.kind == Command::Kind::clear || command.kind == Command::Kind::clear_and_go_on ||
        command.kind == Command::Kind::reset) {
      trace.keys.clear();
      trace.queries.clear();
    }
    if (!finite(command.vector, p.element_format)) continue;
    if (command.kind == Command::Kind::key && trace.key_count() < capacity)
      trace.keys.insert(trace.keys.end(), command.vector.begin(), command.vector.end());
    if (command.kind == Command::Kind::query)
      trace.queries.insert(trace.queries.end(), command.vector.begin(), command.vector.end());
  }
  return trace;
}

/// The same phase again, recording; the seeds make it take the same course.
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
  } catch (const std::runtime_error&) {
    driver.idle(10);
  }
  return driver.commands_done();
}

}  // namespace

std::vector<std::string> dump_mismatch(const MismatchCase& found) {
  const fs::path folder = found.options.directory;
  const std::string stem = (folder / "mismatch").string();
  const std::size_t done = replay(found, stem + ".fst");
  files::write_trace(stem + ".safetensors", trace_of(found, done), true);
  files::write_file(
      stem + ".gtkw",
      gtkwave_view(found.config, fs::absolute(stem + ".fst").string(), found.mismatch.cycle), true);
  files::write_file(stem + ".txt",
                    "configuration " + found.config.name + "\nphase " + found.mismatch.phase +
                        "\ntensor " + found.mismatch.tensor + "\ncycle " +
                        std::to_string(found.mismatch.cycle) + "\n" + found.mismatch.text +
                        "\n\nsee it:   gtkwave " + stem + ".gtkw\nagain:    axelram run CONFIG " +
                        stem + ".safetensors --engine rtl -o OUT.safetensors\n",
                    true);
  return {stem + ".txt", stem + ".safetensors", stem + ".fst", stem + ".gtkw"};
}

}  // namespace axelram::sim
