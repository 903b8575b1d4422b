#include <regex>
#include <string>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/rtl/layout.hpp"
#include "check.hpp"
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
  checked_run(config, test::small_trace(config), {0.2, 0.2, 2 * layout.clock_cycles});
}

}  // namespace

TEST_CASE("a gated write path has the results and cycles of one with a clock") {
  check(test::small_folded());
  check(test::small_unbiased());
  check(test::small_trellis_folded());
  check(test::small_prod_folded());
  check(test::small_split_folded());
  check(test::small_exact_folded());
  files::Config coded = test::small_coded();
  coded.max_keys = 24;
  check(coded);
  files::Config centered = test::small_folded();
  centered.parameters.centered = true;
  centered.center.assign(32, double_to_half(0.25));
  check(centered);
}

TEST_CASE("every module of a write path is behind its gate") {
  for (const rtl::GeneratedFile& file : rtl::generate(test::small_gated(false))) {
    CASE(file.path);
    if (file.path != "rtl/common/axelram_write_path.sv") continue;
    const std::regex clock(R"(\.clk_i\b *(\(\w+\))?)");
    std::vector<std::string> connections;
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), clock), end; at != end; ++at)
      connections.push_back((*at)[1].str());
    REQUIRE(connections.size() == 4);
    CHECK(connections[0].empty());  // of the gate itself
    for (std::size_t i = 1; i < connections.size(); ++i) CHECK_AT(i, connections[i] == "(clk)");
    CHECK(file.text.find("always_ff") == std::string::npos);
    return;
  }
  FAIL("no write path among the generated files");
}

TEST_CASE("without clock gating the write path always has a clock") {
  CHECK(rtl::Layout(test::small_folded()).clock_cycles == 0);
}

}  // namespace axelram::sim
