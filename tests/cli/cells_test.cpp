#include <filesystem>
#include <map>

#include "needs.hpp"
#include "program.hpp"
#include "sram_files.hpp"

namespace {

using namespace test;

constexpr const char* kFew =
    "macro: {head_dim: 32, index_bits: 2, max_keys: 16}\n"
    "microarchitecture: {key_lanes: 1, read_lanes: 1, score_lane: multiplier}\n";

/// The same with a table of latches, 64 words in eight steps.
constexpr const char* kLatches =
    "macro: {head_dim: 32, index_bits: 2, max_keys: 16}\n"
    "microarchitecture: {key_lanes: 1, read_lanes: 1, score_lane: half_table, table_storage: "
    "latches}\n";
constexpr const char* kOsu018 = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";

TEST_CASE("cells of a macro in a library, the same from the cache" * needs_qflow) {
  const TempDir axelram;
  axelram.put("few.yaml", kFew);
  const std::string cache = "AXELRAM_CACHE=\"$PWD/cache\"";
  const ProcessResult first = axelram("report few.yaml --liberty osu018 --json a.json", cache);
  REQUIRE(first);
  CHECK(contains(first.err, "abc axelram_"));
  const ProcessResult again = axelram("report few.yaml --liberty osu018 --json b.json", cache);
  REQUIRE(again);
  CHECK(again.out == first.out);
  CHECK_SAME(axelram.content("a.json"), axelram.content("b.json"));
  CHECK(!contains(again.err, "abc"));

  std::map<std::string, Json> lines = axelram.figures("a.json");
  const Json& cells = lines["cells"];
  CHECK(cells["method"] == "measured");
  CHECK(contains(cells["provenance"]["tools"], "OpenSTA"));
  CHECK(contains(cells["provenance"]["library"], "osu018_stdcells.lib (sha256 "));
  CHECK(cells["provenance"]["corner"] == "typical, 1.8 V, 25 C");
  // Flip-flops of the netlist are those of the RTL, without what optimisation removes.
  CHECK(lines["flip_flops_of_library"]["value"] > 1000);
  CHECK(lines["latches_of_library"]["value"] == 0);
  CHECK(lines["macro_cells"]["value"] < cells["value"]);
  CHECK(lines["core_cells"]["value"] < lines["macro_cells"]["value"]);
  CHECK(lines["score_multiplier_instances"]["value"] == 1);
  CHECK(lines["area"]["value"].get<double>() > 24.0 * cells["value"].get<double>());
  CHECK(lines["slack"]["value"].get<double>() ==
        doctest::Approx(6 - lines["longest_path"]["value"].get<double>()));

  // Energy of a token, with activity from a simulation; from the cache the same bytes.
  axelram.put("token.yaml", std::string(kFew) + "sram: {model: table, node: 130}\n");
  const std::string token =
      "report token.yaml --liberty osu018 --shape layers=2,kv_heads=1,query_heads=2,context=20";
  REQUIRE(axelram(token + " --json d.json", cache));
  REQUIRE(axelram(token + " --json e.json", cache));
  CHECK_SAME(axelram.content("d.json"), axelram.content("e.json"));
  std::map<std::string, Json> energy = axelram.figures("d.json");
  for (const auto& [name, line] : energy)
    if (name.rfind("token_", 0) == 0) {
      CASE(name);
      REQUIRE(line["value"].is_number());
      CHECK(line["value"] > 0);
    }
  CHECK(energy["token_score_logic_energy"]["method"] == "estimated");
  CHECK(energy["score_multiplier_score_activity"]["method"] == "measured");
  CHECK(energy["token_energy"]["value"].get<double>() >
        energy["token_read_energy"]["value"].get<double>());

  // A period that no path meets is a slack below 0, and no error.
  REQUIRE(axelram("report few.yaml --liberty osu018 --period 1 --json c.json", cache));
  CHECK(axelram.figures("c.json")["slack"]["value"] < 0);

  // Latches of the netlist are those of the closed forms. Most other modules are in the cache.
  axelram.put("latches.yaml", kLatches);
  REQUIRE(axelram("report latches.yaml --liberty osu018 --netlist --json f.json", cache));
  lines = axelram.figures("f.json");
  CHECK(lines["table_bits_in_netlist"]["value"] == 64 * 16);
  CHECK(lines["table_clock_gates_in_hardware"]["value"] == 8);
  CHECK(lines["latches_in_netlist"]["value"] == 64 * 16 + 8);
  CHECK(lines["latches_of_library"]["value"] == 64 * 16 + 8);
  CHECK(lines["latch_array_latches_of_library"]["value"] == 64 * 16 + 8);
  CHECK(lines["clock_gate_instances"]["value"] == 8);
  CHECK(contains(lines["area"]["note"], "; of LATCH the SIZE in "));
  CHECK(contains(lines["area"]["note"], "osu018_stdcells.lef (sha256 "));
  // A latch that borrows time has a slack of 0, which is no longest path.
  const auto path = [&](const char* module) {
    return lines[std::string(module) + "_longest_path"]["value"].get<double>();
  };
  CHECK(path("clock_gate") > 0.1);
  CHECK(path("clock_gate") < 1);
  CHECK(path("latch_array") > path("clock_gate"));
  CHECK(path("latch_array") < path("score_table"));
  CHECK(path("score_table") < 5);
  CHECK(lines["score_table_depth"]["value"] > 5);
}

TEST_CASE("a library that cannot be used" * needs_qflow) {
  const TempDir axelram;
  axelram.put("few.yaml", kFew);
  axelram.put("none.lib", "library(x) { cell(A) { area : 1; } }\n");
  const auto refused = [&](const std::string& arguments, int code, const std::string& message,
                           const std::string& environment = "") {
    const ProcessResult finished = axelram("report few.yaml " + arguments, environment);
    CHECK(finished.code == code);
    CHECK(contains(finished.err, message));
    CHECK(finished.out.empty());
  };
  refused("--liberty missing.lib", 2, "missing.lib: no such file");
  refused("--liberty none.lib", 2, "none.lib:1: no inverter; a library to map to has one");
  refused("--liberty osu018 --corner slow", 2, "--corner must be typical");
  refused("--liberty osu018 --period 0", 2, "--period");
  refused("--corner typical", 2, "--liberty");
  // A library without a latch serves designs without latches.
  axelram.put("unlatched.lib", replaced(content(kOsu018), "latch (DS0000", "unlatched (DS0000"));
  axelram.put("latches.yaml", kLatches);
  const ProcessResult missing = axelram("report latches.yaml --liberty unlatched.lib");
  CHECK(missing.code == 2);
  CHECK(contains(missing.err,
                 "unlatched.lib: no latch of data and enable alone; table_storage: latches needs"));
  // A tool that is missing.
  std::filesystem::create_directory(axelram.at("bin"));
  std::filesystem::create_symlink("/usr/bin/python3", axelram.at("bin/python3"));
  std::filesystem::create_symlink("/bin/sh", axelram.at("bin/sh"));
  for (const char* library : {"--liberty osu018", "--liberty unlatched.lib"}) {
    CASE(library);
    refused(library, 3, "yosys is not installed; run scripts/setup or apt-get install yosys",
            "PATH=\"$PWD/bin\"");
  }
  axelram.put("bin/yosys",
              "#!/bin/sh\n[ \"$1\" = -V ] && echo Yosys 0.23 || { echo broken; exit 1; }\n");
  axelram.put("bin/sta", "#!/bin/sh\necho 2.0.17\n");
  for (const char* tool : {"bin/yosys", "bin/sta"})
    std::filesystem::permissions(axelram.at(tool), std::filesystem::perms::owner_all);
  refused("--liberty osu018", 3, " failed with status 1: broken, or ", "PATH=\"$PWD/bin\"");
}

}  // namespace
