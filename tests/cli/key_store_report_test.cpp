#include <map>

#include "program.hpp"
#include "sram_files.hpp"

using namespace test;

TEST_CASE("the key store in silicon, by the source that the configuration names") {
  const TempDir axelram;
  std::filesystem::create_directory(axelram.at("own"));
  axelram.put("own/m.lib", kSramLiberty);
  axelram.put("own/macro.yaml",
              "macro: {head_dim: 32, max_keys: 40}\nsram: {model: liberty, liberty: m.lib}\n");
  const std::string printed = axelram.output("report own/macro.yaml --json report.json");
  std::map<std::string, Json> lines = axelram.figures("report.json");
  CHECK(lines["key_store_read_energy"]["value"] == 70);
  CHECK(lines["key_store_read_energy"]["method"] == "estimated");
  CHECK(lines["key_store_read_energy"]["unit"] == "pJ");
  CHECK(lines["key_store_tiles"]["value"] == 42);
  CHECK(contains(lines["key_store_tiles"]["note"], "m.lib (sha256 "));
  CHECK(contains(printed, "\nkey store in silicon\n"));
  CHECK(
      contains(axelram("report own/macro.yaml --json own/m.lib --force").err, "is also an input"));

  // No RTL depends on it: the generated configuration names no file of the SRAM.
  REQUIRE(axelram("generate own/macro.yaml -o rtl"));
  CHECK(!contains(axelram.content("rtl/config.yaml"), "sram"));
  CHECK(!contains(axelram.content("rtl/axelram.json"), "liberty"));

  // The same energies, of a token.
  REQUIRE(
      axelram("report own/macro.yaml --period 5 --json token.json "
              "--shape layers=2,kv_heads=1,query_heads=3,context=50"));
  std::map<std::string, Json> token = axelram.figures("token.json");
  CHECK(token["token_macros"]["value"] == 4);
  CHECK(token["token_sram_reads"]["value"] == 2 * 3 * 50);
  CHECK(token["token_sram_read_energy"]["value"].get<double>() ==
        doctest::Approx(300 * 70e-6).epsilon(1e-9));
  const double cycles = token["token_layer_cycles"]["value"];
  CHECK(token["token_time"]["value"].get<double>() ==
        doctest::Approx(2 * cycles * 5e-3).epsilon(1e-9));

  axelram.put("own/m.lib", "library(a) {\n  cell(b) {\n");
  failed(axelram("report own/macro.yaml"), 2,
         "own/macro.yaml:2: liberty: own/m.lib:2: 'cell' is not closed; add its '}'");
  std::filesystem::remove(axelram.at("own/m.lib"));
  CHECK(axelram("report own/macro.yaml").code == 2);
}

TEST_CASE("the section of earlier versions: the same report, and one line with the new names") {
  const TempDir axelram;
  const std::string macro = "macro: {head_dim: 32, max_keys: 40}\n";
  axelram.put("new.yaml", macro + "sram: {model: table, node: 45}\n");
  axelram.put("old.yaml", macro + "memory: {model: table, node: 45}\n");
  const auto now = axelram("report new.yaml --json new.json");
  const auto before = axelram("report old.yaml --json old.json");
  REQUIRE(now);
  REQUIRE(before);
  CHECK(now.err.empty());
  CHECK(before.err ==
        "axelram: old.yaml:2: memory.model, memory.node are now sram.model, sram.node\n");
  CHECK(axelram.json("old.json") == axelram.json("new.json"));

  // A sweep: bases and keys, and each line once.
  axelram.put("old_sweep.yaml",
              "base: old.yaml\ngrid: {memory.node: [45, 130]}\nreports: [memory]\n"
              "columns: [key_store_read_energy]\n");
  axelram.put("new_sweep.yaml",
              "base: new.yaml\ngrid: {sram.node: [45, 130]}\nreports: [memory]\n"
              "columns: [key_store_read_energy]\n");
  const auto old_sweep = axelram("sweep old_sweep.yaml -o old --plots none");
  const auto new_sweep = axelram("sweep new_sweep.yaml -o new --plots none");
  REQUIRE(old_sweep);
  REQUIRE(new_sweep);
  CHECK(contains(old_sweep.err, "old_sweep.yaml:2: memory.node is now sram.node\n"));
  CHECK(contains(old_sweep.err, "old.yaml:2: memory.model, memory.node are now"));
  CHECK(old_sweep.err.find("old.yaml:2: ") == old_sweep.err.rfind("old.yaml:2: "));
  std::string rows = axelram.content("old/old_sweep.csv");
  for (std::size_t at = 0; (at = rows.find("old.yaml")) != std::string::npos;)
    rows.replace(at, 3, "new");
  CHECK(rows == axelram.content("new/new_sweep.csv"));
  CHECK(contains(rows, "row,base,sram.node,"));
  axelram.put("both.yaml",
              "base: new.yaml\nlist: [{sram.node: 45, memory.node: 130}]\nreports: [memory]\n");
  const auto both = axelram("sweep both.yaml -o both --plots none");
  CHECK(both.code == 2);
  CHECK(contains(both.err, "memory.node is now sram.node, which is set twice; keep one"));
}
