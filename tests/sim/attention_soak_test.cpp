// A soak of a macro with attention: random scripts until a million tokens have been read.
#include "attention_configs.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/build.hpp"
#include "check.hpp"
#include "verify/attention/comparison.hpp"
#include "verify/attention/stimulus.hpp"

namespace axelram::sim {
namespace {

class Counter : public run::ScriptObserver {
 public:
  void on_token(const TokenResult& token) override {
    appended += token.status == ItemStatus::done ? 1 : 0;
  }
  void on_group(const GroupResult& group) override {
    if (group.status != ItemStatus::done) return;
    read += group.places.size();
    ++(group.outputs.empty() ? scored : attended);
  }
  std::uint64_t appended = 0, read = 0, attended = 0, scored = 0;
};

}  // namespace

TEST_CASE("a soak of 10^6 tokens read and 10^4 appended, in segments that come and go") {
  const files::Config config = attends_folded();
  const std::string library = build_model(rtl::generate_observed(config), {});
  AttentionStimulus stimulus(config, 2026);
  Counter counter;
  RtlModel model(library, 1);
  run::AttentionScript script = stimulus.random(1000);
  AttentionDriver driver(config, script, model, {0.05, 0.05, 4}, 1, true);
  int scripts = 0;
  for (; counter.read < 1'000'000; ++scripts) {
    driver.restart(script);
    const run::GoldenScript golden =
        run::golden_script(config, script, reference_units(), &counter);
    const auto found = run_and_compare(config, "soak", golden, driver);
    REQUIRE_MESSAGE(!found, scripts, ": ", found->tensor, ": ", found->text);
    script = stimulus.random(1000);
  }
  CHECK(counter.appended >= 10'000);
  CHECK(counter.attended > 1000);
  CHECK(counter.scored > 1000);
  MESSAGE(scripts, " scripts, ", counter.appended, " tokens appended, ", counter.read, " read by ",
          counter.attended, " groups for outputs and ", counter.scored, " for scores, ",
          driver.cycle(), " cycles");
}

}  // namespace axelram::sim
