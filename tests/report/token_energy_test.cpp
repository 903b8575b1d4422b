#include "token/token_energy.hpp"

#include <functional>
#include <map>
#include <set>

#include "axelram/report/baseline.hpp"
#include "axelram/report/token.hpp"
#include "files/support.hpp"
#include "small_configs.hpp"
#include "support.hpp"

namespace axelram::report {
namespace {

using test::contains;

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-12).scale(0); }

MappedDesign design() {
  MappedDesign design;
  design.top = "top";
  design.period = 5;
  design.library.source = "x.lib";
  const auto add = [&](const std::string& name, double idle, double busy) -> MappedModule& {
    MappedModule& module = design.modules[name];
    module.source = name;
    module.idle_power = idle;
    module.busy_power = busy;
    return module;
  };
  add("top", 1e-3, 2e-3).instances = {{"u_a", "a"}, {"g_two[1].u_a", "a"}};
  add("a", 4e-3, 10e-3).instances = {{"u_rom", "rom"}};
  add("rom", 0, 0);
  return design;
}

/// Bits of "a" by instance: 8 and 2, the latter in a generate block of it.
Activity activity() {
  Activity made;
  made.scopes[""] = {10, 20, 10, 40};
  made.scopes["u_a"] = {8, 16, 0, 160};
  made.scopes["g_two[1].u_a.g_more"] = {2, 4, 40, 0};
  made.keys_written = 4;
  made.queries = 2;
  made.keys_scored = 8;
  made.write_cycles = 100;
  made.query_cycles = 50;
  made.score_cycles = 20;
  return made;
}

}  // namespace

TEST_CASE("energy of the logic by hand: instances, generate blocks, a period") {
  const LogicEnergy energy = logic_energy(design(), activity(), 5);
  CHECK(energy.missing.empty());
  CHECK(energy.idle_power == about(1 + 2 * 4));
  // 1 mW * 5 ns = 5 pJ if each bit of the top toggles once; 2 * 6 mW * 5 ns = 60 pJ in both "a".
  CHECK(energy.key == about(5 * 20 / 10.0 / 4 + 60 * 20 / 10.0 / 4));
  CHECK(energy.query == about(5 * 10 / 10.0 / 2 + 60 * 40 / 10.0 / 2));
  CHECK(energy.score == about(5 * 40 / 10.0 / 8 + 60 * 160 / 10.0 / 8));

  Activity unseen = activity();
  unseen.scopes.erase("u_a");
  unseen.scopes.erase("g_two[1].u_a.g_more");
  CHECK(logic_energy(design(), unseen, 5).missing == "the simulation has no signals of a");
  // The clock of "a" stands: its leakage is left, and 2 * 3 mW * 5 ns for each cycle with a clock.
  MappedDesign gated = design();
  gated.modules["top"].inner = {{"a", 2}, {"clock", 1}};
  gated.modules["clock"].source = "axelram_pipeline_clock";
  gated.modules["a"].leakage_power = 1e-3;
  const LogicEnergy standing = logic_energy(gated, activity(), 5, 7);
  CHECK(standing.idle_power == about(1 + 2 * 1));
  CHECK(standing.key == about(energy.key + 7 * 30));
  CHECK(standing.query == about(energy.query + 7 * 30));
  CHECK(standing.score == about(energy.score));

  MappedDesign dark = design();
  for (auto& [name, module] : dark.modules) module.idle_power = module.busy_power = 0;
  CHECK(logic_energy(dark, activity(), 5).missing == "not given: x.lib has no power");
}

TEST_CASE("energy of a token by hand, and n/a where a part is not known") {
  const MappedDesign mapped = design();
  const Activity measured = activity();
  const files::Config config = test::small("macro: {head_dim: 32, max_keys: 40}\n");
  DecodingStep step{parse_model_shape("layers=3,kv_heads=2,query_heads=6,context=100"), 5,
                    &measured};
  const auto lines_of = [&](const MappedDesign* given) {
    return by_name(report(config, {}, {}, given, &step));
  };
  auto lines = lines_of(&mapped);
  const auto value = [&](const char* name) { return std::get<double>(lines[name].value); };
  const LogicEnergy energy = logic_energy(mapped, measured, 5);
  const auto cycles = static_cast<double>(counts_of(config, step.shape).layer_cycles);
  CHECK(value("token_macro_idle_power") == about(9));
  CHECK(value("token_logic_idle_energy") == about(18 * cycles * 9 * 5 * 1e-6));
  CHECK(value("token_logic_write_energy") == about(6 * energy.key * 1e-6));
  // A query goes to all three macros of its KV head.
  CHECK(value("token_logic_read_energy") ==
        about((3 * 6 * 3 * energy.query + 3 * 6 * 100 * energy.score) * 1e-6));
  CHECK(lines["token_logic_read_energy"].method == Method::estimated);
  CHECK(lines["token_read_energy"].method == Method::not_available);
  CHECK(lines["token_energy"].note == "SRAM reads: sram.model is none");
  // Per bit and cycle; both instances of a module are one row.
  CHECK(value("a_write_activity") == about(20 / 10.0 / 100));
  CHECK(value("a_query_activity") == about(40 / 10.0 / 50));
  CHECK(value("a_score_activity") == about(160 / 10.0 / 20));
  CHECK(lines["a_score_activity"].method == Method::measured);

  auto without = lines_of(nullptr);
  CHECK(without["token_logic_read_energy"].method == Method::not_available);
  CHECK(contains(without["token_logic_read_energy"].note, "--liberty FILE"));
  CHECK(without.count("a_write_activity") == 0);
}

TEST_CASE("baselines of a token by hand: the same SRAM and shape, both numbers of a ratio") {
  const MappedDesign mapped = design();
  const Activity measured = activity();
  std::map<BaselineKind, MeasuredBaseline> baselines;
  baselines[BaselineKind::half] = {design(), activity()};
  baselines[BaselineKind::half].activity.keys_written = 0;
  baselines[BaselineKind::half].activity.keys_scored = 16;
  const test::TemporaryFolder folder;
  test::put(folder / "t.yaml",
            "a: {node: 45, voltage: 0.9, words: 40, bits: 64, ports: 1r1w, read: 10, source: A}\n");
  const auto config_of = [&](const std::string& more) {
    return files::parse_config("macro: {head_dim: 32, max_keys: 40}\n" + more, "x.yaml",
                               folder.path());
  };
  const DecodingStep step{parse_model_shape("layers=3,kv_heads=2,query_heads=6,context=100"), 5,
                          &measured, &baselines};
  const auto lines_of = [&](const files::Config& config) {
    return by_name(report(config, {}, {}, &mapped, &step));
  };
  auto lines = lines_of(config_of("sram: {model: table, file: t.yaml}\n"));
  const auto value = [&](const char* name) {
    REQUIRE_MESSAGE(std::holds_alternative<double>(lines[name].value), lines[name].note);
    return std::get<double>(lines[name].value);
  };
  const LogicEnergy energy = logic_energy(design(), baselines[BaselineKind::half].activity, 5);
  CHECK(energy.key == 0);
  // Three queries on 40 keys, and 2 + 4 * log2(32) cycles of the unit.
  const double cycles = 1 + 3 * 41 + 1 + 22;
  CHECK(value("token_floats_layer_cycles") == cycles);
  CHECK(value("token_floats_score_logic_energy") == about(energy.score));
  CHECK(value("token_floats_score_sram_energy") == about(512 / 64 * 10));
  const double logic =
      (18 * cycles * 9 * 5 + 3 * 6 * 3 * energy.query + 3 * 6 * 100 * energy.score) * 1e-6;
  CHECK(value("token_floats_logic_energy") == about(logic));
  CHECK(value("token_floats_read_energy") == about(logic + 3 * 6 * 100 * 80e-6));
  CHECK(value("token_floats_score_logic_ratio") == about(0.5));
  CHECK(value("token_floats_read_energy_ratio") ==
        about(value("token_floats_read_energy") / value("token_read_energy")));
  char both[64];
  std::snprintf(both, sizeof both, "%.6g uJ over %.6g uJ of the macro",
                value("token_floats_read_energy"), value("token_read_energy"));
  CHECK(lines["token_floats_read_energy_ratio"].note == both);
  CHECK(lines["token_floats_area"].method == Method::not_available);
  CHECK(contains(lines["token_floats_area"].note, "x.lib has no area"));
  CHECK(lines["token_dequantized_cells"].method == Method::not_available);

  auto dark = lines_of(config_of(""));
  CHECK(dark["token_floats_read_energy"].note == "SRAM reads: sram.model is none");
  CHECK(dark["token_floats_read_energy_ratio"].note == "token_floats_read_energy is n/a");
  auto coded = lines_of(config_of("ecc: {code: hamming84}\n"));
  CHECK(contains(coded["token_dequantized_read_energy"].note, "without a code"));
}

TEST_CASE("each figure of a token changes with what it depends on") {
  const test::TemporaryFolder folder;
  test::put(folder / "t.yaml",
            "a: {node: 45, voltage: 0.9, words: 40, bits: 64, ports: 1r1w, read: 10, write: 30, "
            "source: A}\n");
  const files::Config config = files::parse_config(
      "macro: {head_dim: 32, max_keys: 40}\nsram: {model: table, file: t.yaml}\n", "x.yaml",
      folder.path());
  struct Given {
    std::string shape = "layers=3,kv_heads=2,query_heads=6,context=100";
    double period = 5;
    MappedDesign mapped = design(), units = design();
    Activity toggles = activity(), of_units = activity();
  };
  const auto lines_of = [&](const Given& given) {
    std::map<BaselineKind, MeasuredBaseline> baselines;
    for (const BaselineKind kind : kBaselines) baselines[kind] = {given.units, given.of_units};
    const DecodingStep step{parse_model_shape(given.shape), given.period, &given.toggles,
                            &baselines};
    std::map<std::string, Line> lines;
    for (const Line& line : report(config, {}, {}, &given.mapped, &step))
      if (line.section == "a token" || line.section == "activity of modules")
        lines[line.name] = line;
    return lines;
  };
  Given standard;
  for (auto* given : {&standard.mapped, &standard.units}) {
    given->library.areas = {{"FF", 8}, {"NAND", 2}};
    given->library.nand2 = "NAND";
    given->modules["a"].cells = {{"FF", 3}};
    given->modules["top"].inner = {{"a", 2}};
    given->modules["a"].path = given->modules["top"].path = CellPath{3, 1, "e", "f"};
  }
  const auto base = lines_of(standard);
  std::set<std::string> changed;
  const auto changes = [&](const std::function<void(Given*)>& change,
                           const std::vector<std::string>& names) {
    Given given = standard;
    change(&given);
    auto now = lines_of(given);
    for (const std::string& name : names) {
      REQUIRE_MESSAGE(base.count(name) == 1, name);
      CHECK_MESSAGE(now[name].value != base.at(name).value, name);
      changed.insert(name);
    }
  };
  const auto of_baselines = [](const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const char* prefix : {"token_floats_", "token_dequantized_"})
      for (const std::string& name : names) all.push_back(prefix + name);
    return all;
  };
  changes([](Given* g) { g->shape = "layers=4,kv_heads=2,query_heads=6,context=100"; },
          {"token_macros", "token_key_bytes", "token_fp16_key_bytes", "token_time",
           "token_sram_reads", "token_sram_writes", "token_sram_read_energy",
           "token_sram_write_energy", "token_logic_idle_energy", "token_logic_write_energy",
           "token_logic_read_energy", "token_read_energy", "token_energy"});
  changes([](Given* g) { g->shape = "layers=3,kv_heads=2,query_heads=8,context=100"; },
          {"token_layer_cycles", "token_floats_layer_cycles", "token_dequantized_layer_cycles"});
  changes([](Given* g) { g->mapped.modules["a"].idle_power = 5e-3; }, {"token_macro_idle_power"});
  changes(
      [](Given* g) {
        g->toggles.scopes["u_a"] = {8, 17, 1, 161};
      },
      {"token_key_logic_energy", "token_query_logic_energy", "token_score_logic_energy",
       "a_write_activity", "a_query_activity", "a_score_activity"});
  changes(
      [](Given* g) {
        g->toggles.scopes[""] = {10, 21, 11, 41};
      },
      {"top_write_activity", "top_query_activity", "top_score_activity"});
  changes([](Given* g) { g->units.modules["a"].busy_power = 11e-3; },
          of_baselines({"score_logic_energy", "logic_energy", "read_energy", "score_logic_ratio",
                        "read_energy_ratio"}));
  changes(
      [](Given* g) {
        MappedModule& module = g->units.modules["a"];
        module.idle_power = 5e-3;
        module.cells["FF"] = 4;
        g->units.modules["top"].path = CellPath{4, 1, "e", "f"};
      },
      of_baselines({"cells", "area", "longest_path", "idle_power"}));
  // An SRAM has no other words but those of the configuration: 512 bits, and 112.
  CHECK_DIFFERENT(base.at("token_floats_score_sram_energy").value,
                  base.at("token_dequantized_score_sram_energy").value);
  changed.insert({"token_floats_score_sram_energy", "token_dequantized_score_sram_energy"});
  for (const auto& [name, line] : base) {
    CHECK_MESSAGE(line.method != Method::not_available, name << ": " << line.note);
    CHECK_MESSAGE(changed.count(name) == 1, name << " is not known to change");
  }
}

}  // namespace axelram::report
