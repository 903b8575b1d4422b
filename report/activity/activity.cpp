#include "axelram/report/activity.hpp"

#include <algorithm>

#include "axelram/files/scratch_folder.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "axelram/sim/driver.hpp"

namespace axelram::report {
namespace {

sim::Vector row_of(const std::vector<std::uint16_t>& rows, std::size_t index, int dim) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(index) * dim;
  return {first, first + dim};
}

}  // namespace

Activity measure_activity(const files::Config& config,
                          const std::function<void(const std::string&)>& progress) {
  const auto stored =
      std::min(static_cast<std::size_t>(config.max_keys), ActivityWorkload::kScored);
  const std::size_t written = std::min(stored, ActivityWorkload::kWritten);
  const int dim = config.parameters.head_dim;
  const files::Trace trace = run::gaussian_trace(
      config.parameters, stored, ActivityWorkload::kQueries, ActivityWorkload::kSeed);
  const std::string library = sim::build_model(
      rtl::generate_observed(config),
      {.waves = false, .fast_compile = true, .progress = progress, .covers = false, .vcd = true});
  const files::ScratchFolder scratch;
  const std::string path = scratch.file("activity.vcd");
  Activity activity;
  std::vector<Window> windows;
  {
    sim::RtlModel model(library, ActivityWorkload::kSeed);
    sim::Driver driver(config, model, {}, ActivityWorkload::kSeed);
    sim::Observer none;
    const auto add = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t Toggles::*counts) {
      windows.push_back(
          {begin * ActivityWorkload::kCycleTime, end * ActivityWorkload::kCycleTime, counts});
    };
    std::vector<sim::Command> earlier;
    for (std::size_t i = written; i < stored; ++i)
      earlier.emplace_back(sim::command::Key{row_of(trace.keys, i, dim)});
    earlier.emplace_back(sim::command::Drain{});
    driver.run(earlier, none);
    driver.record_waves(path, 0);
    driver.idle(2);
    for (std::size_t i = 0; i < written; ++i) {
      const std::uint64_t begin = driver.cycle();
      driver.run({sim::command::Key{row_of(trace.keys, i, dim)}, sim::command::Drain{}}, none);
      add(begin, driver.cycle(), &Toggles::write);
      activity.write_cycles += driver.cycle() - begin;
    }
    const rtl::Layout layout(config);
    const sim::Cycles cycles = sim::cycle_model(layout, {stored, 0}, 1);
    for (std::size_t i = 0; i < ActivityWorkload::kQueries; ++i) {
      const std::uint64_t begin = driver.cycle();
      // The first read; a query that waits for no key takes no cycles for it.
      const std::uint64_t read =
          begin + cycles.rotate - static_cast<std::uint64_t>(layout.wait_cycles) + cycles.build;
      driver.run({sim::command::Query{row_of(trace.queries, i, dim)}, sim::command::Drain{}}, none);
      add(begin, read, &Toggles::query);
      add(read, driver.cycle(), &Toggles::score);
      activity.query_cycles += read - begin;
      activity.score_cycles += driver.cycle() - read;
    }
  }
  activity.keys_written = written;
  activity.queries = ActivityWorkload::kQueries;
  activity.keys_scored = ActivityWorkload::kQueries * stored;
  activity.scopes = toggles_of_vcd(path, windows);
  return activity;
}

}  // namespace axelram::report
