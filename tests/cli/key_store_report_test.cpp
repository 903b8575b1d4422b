#include <map>

#include "program.hpp"
#include "sram_files.hpp"

using test::contains;
using test::Json;

TEST_CASE("the key store in silicon, by the source that the configuration names") {
  const test::TempDir axelram;
  std::filesystem::create_directory(axelram.at("own"));
  test::put(axelram.at("own/m.lib"), test::kMemoryLiberty);
  test::put(axelram.at("own/macro.yaml"),
            "macro: {head_dim: 32, max_keys: 40}\nmemory: {model: liberty, liberty: m.lib}\n");
  const test::ProcessResult finished = axelram("report own/macro.yaml --json report.json");
  REQUIRE(finished.code == 0);
  std::map<std::string, Json> lines;
  for (const Json& line : axelram.json("report.json")) lines[line["name"]] = line;
  CHECK(lines["key_store_read_energy"]["value"] == 70);
  CHECK(lines["key_store_read_energy"]["method"] == "estimated");
  CHECK(lines["key_store_read_energy"]["unit"] == "pJ");
  CHECK(lines["key_store_tiles"]["value"] == 42);
  CHECK(contains(lines["key_store_tiles"]["note"], "m.lib (sha256 "));
  CHECK(contains(finished.out, "\nkey store in silicon\n"));
  CHECK(
      contains(axelram("report own/macro.yaml --json own/m.lib --force").err, "is also an input"));

  // No RTL depends on it: the generated configuration names no file of the memory.
  REQUIRE(axelram("generate own/macro.yaml -o rtl").code == 0);
  CHECK(!contains(test::content(axelram.at("rtl/config.yaml")), "memory"));
  CHECK(!contains(test::content(axelram.at("rtl/axelram.json")), "liberty"));

  // The same energies, of a token.
  REQUIRE(axelram("report own/macro.yaml --period 5 --json token.json "
                  "--shape layers=2,kv_heads=1,query_heads=3,context=50")
              .code == 0);
  std::map<std::string, Json> token;
  for (const Json& line : axelram.json("token.json")) token[line["name"]] = line;
  CHECK(token["token_macros"]["value"] == 4);
  CHECK(token["token_sram_reads"]["value"] == 2 * 3 * 50);
  CHECK(token["token_sram_read_energy"]["value"].get<double>() ==
        doctest::Approx(300 * 70e-6).epsilon(1e-9));
  const double cycles = token["token_layer_cycles"]["value"];
  CHECK(token["token_time"]["value"].get<double>() ==
        doctest::Approx(2 * cycles * 5e-3).epsilon(1e-9));

  test::put(axelram.at("own/m.lib"), "library(a) {\n  cell(b) {\n");
  const test::ProcessResult broken = axelram("report own/macro.yaml");
  CHECK(broken.code == 2);
  CHECK(contains(broken.err,
                 "own/macro.yaml:2: liberty: own/m.lib:2: 'cell' is not closed; add its '}'"));
  std::filesystem::remove(axelram.at("own/m.lib"));
  CHECK(axelram("report own/macro.yaml").code == 2);
}
