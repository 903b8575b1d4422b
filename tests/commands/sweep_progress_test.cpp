#include "axelram/commands/sweep.hpp"
#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;

namespace {

TEST_CASE("sweep: progress is told for each point, whichever thread evaluates it") {
  const test::TemporaryFolder folder;
  test::put(folder / "s.yaml",
            "base: d32-b3\nreports: [memory]\n"
            "grid: {macro.max_keys: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}\n");
  commands::SweepOptions options;
  options.spec = folder / "s.yaml";
  options.folder = folder / "out";
  options.threads = 4;
  std::vector<std::uint64_t> told;
  const faults::Processes processes;
  commands::sweep(options, processes,
                  [&](const commands::Step& step) { told.push_back(step.done); });
  REQUIRE(told.size() == 16);
  for (std::size_t i = 0; i < told.size(); ++i) CHECK_AT(i, told[i] == i + 1);
}

}  // namespace
