#include <numeric>

#include "axelram/engines/engine.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "check.hpp"

using namespace axelram;

namespace {

files::Config small_config() {
  return files::parse_config("macro: {head_dim: 32, max_keys: 64}\necc: {code: hamming84}\n",
                             "small", "");
}

/// Provides the engine cuda to all cases. Its kernels run on the emulator.
const bool provided = (engines::provide(engines::cuda_engine()), true);

}  // namespace

TEST_CASE("every engine has one row, in the order of its names") {
  const auto names = names_of<EngineKind>();
  REQUIRE(engines::engine_table().size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CASE(i);
    CHECK(name_of(engines::engine_table()[i].kind) == names[i]);
    CHECK(engines::engine_named(names[i]) == engines::engine_table()[i].kind);
    CHECK(engines::engine(engines::engine_named(names[i])).kind == engines::engine_named(names[i]));
  }
  CHECK(engines::engine_names() == "golden, fast, rtl or cuda");
}

TEST_CASE("unknown engines are rejected by name") {
  CHECK_THROWS_WITH_AS(engines::engine_named("fpga"),
                       "'fpga' is no engine; give golden, fast, rtl or cuda", files::InputError);
  CHECK_THROWS_WITH_AS(engines::engine_named("reference"),
                       "there is no engine 'reference'; the scalar reference is golden",
                       files::InputError);
  CHECK_THROWS_AS(engines::engine_named(""), files::InputError);
}

TEST_CASE("a job that an engine does not do is rejected with its reason") {
  using Run = engines::Job<int (*)()>;
  const Run none = engines::Unavailable{"it stores nothing", false};
  CHECK_THROWS_WITH_AS(engines::require(EngineKind::rtl, none), "--engine rtl: it stores nothing",
                       files::InputError);
  const Run lacking = engines::Unavailable{"built without it", true};
  CHECK_THROWS_WITH_AS(engines::require(EngineKind::cuda, lacking),
                       "--engine cuda: built without it", files::EnvironmentError);
  const Run three = [] { return 3; };
  CHECK(engines::require(EngineKind::fast, three)() == 3);
}

TEST_CASE("golden, fast and cuda give the same result of a trace") {
  const files::Config config = small_config();
  const files::Trace trace = run::gaussian_trace(config.parameters, 40, 5, 7);
  const files::Result golden = engines::run(EngineKind::golden, {config, trace}).result;
  for (const EngineKind kind : {EngineKind::fast, EngineKind::cuda})
    CHECK_AT(name_of(kind),
             files::first_difference(golden, engines::run(kind, {config, trace}).result) ==
                 std::nullopt);
}

TEST_CASE("fault engines of golden, fast and cuda read the same faulty memory") {
  std::vector<files::Config> configs(3, small_config());
  Parameters& prod = configs[1].parameters;
  prod.kind = QuantizerKind::prod;
  configs[1].head_rotation = seeded_rotation(prod, 42, 0, 0);
  Parameters& split = configs[2].parameters;
  split.scale = ScaleKind::unbiased;
  split.split_high = 3;
  split.split_low = 1;
  std::vector<std::uint16_t> high(static_cast<std::size_t>(split.head_dim) / 2);
  std::iota(high.begin(), high.end(), std::uint16_t{3});
  configs[2].head_rotation = seeded_rotation(split, 42, 0, 0, high);
  for (const files::Config& config : configs) {
    CASE(config.parameters.record_bits());
    const files::Trace trace = run::gaussian_trace(config.parameters, 40, 5, 7);
    const auto golden = engines::fault_engines(EngineKind::golden, {config, trace, {}})("golay24");
    std::vector<std::uint8_t> masks(golden->stored().size());
    for (std::size_t i = 0; i < masks.size(); i += 3) masks[i] = static_cast<std::uint8_t>(i % 7);
    const auto expected = golden->read(masks, ErasurePolicy::interpolate);
    for (const EngineKind kind : {EngineKind::fast, EngineKind::cuda}) {
      CASE(name_of(kind));
      const auto engine = engines::fault_engines(kind, {config, trace, {}})("golay24");
      CHECK_SAME(engine->stored(), golden->stored());
      const auto outcome = engine->read(masks, ErasurePolicy::interpolate);
      CHECK_SAME(outcome.statuses, expected.statuses);
      CHECK_SAME(outcome.decoded, expected.decoded);
      CHECK_SAME(outcome.repaired, expected.repaired);
      CHECK_SAME(outcome.scores, expected.scores);
    }
  }
}

TEST_CASE("rtl takes axelram keys without bit errors, and no code none") {
  const auto check = [](const std::string& keys) {
    engines::check_perplexity(
        EngineKind::rtl, {caches::parse_specification("fp16"), caches::parse_specification(keys)});
  };
  check("axelram:config=d32-b3");
  CHECK_THROWS_AS(check("fp16"), files::InputError);
  CHECK_THROWS_AS(check("axelram:config=d32-b3,ber=0.1"), files::InputError);
  const files::Config config = small_config();
  const files::Trace trace = run::gaussian_trace(config.parameters, 2, 1, 1);
  const auto factory = engines::fault_engines(EngineKind::rtl, {config, trace, {}});
  CHECK_THROWS_AS(factory("none"), files::InputError);
}
