#include <doctest/doctest.h>

#include "axelram/rtl/layout.hpp"
#include "checked_run.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

/// The cycles in which the write path must have a clock, and in which it must have none, are
/// checked by the driver. Stalls are longer than those cycles: the clock stands inside vectors,
/// too.
void check(files::Config config) {
  config.microarchitecture.clock_gating = files::ClockGating::write_path;
  const rtl::Layout layout(config);
  CHECK(layout.clock_cycles == layout.store_cycles - layout.encode_cycles);
  checked_run(config, small_trace(config), {0.2, 0.2, 2 * layout.clock_cycles});
}

}  // namespace

TEST_CASE("a gated write path has the results and cycles of one with a clock") {
  check(small_folded());
  check(small_unbiased());
  check(small_trellis_folded());
  check(small_prod_folded());
  check(small_split_folded());
  check(small_exact_folded());
}

TEST_CASE("without clock gating the write path always has a clock") {
  CHECK(rtl::Layout(small_folded()).clock_cycles == 0);
}

}  // namespace axelram::sim
