
#include "program.hpp"

namespace {

using namespace test;

TEST_CASE("list prints tables, names alone, and JSON") {
  const TempDir axelram;
  const ProcessResult engines = axelram("list engines --names");
  CHECK(engines);
  CHECK(engines.err.empty());
  CHECK(engines.out == "golden\nfast\nrtl\ncuda\n");
  for (const std::string kind :
       {"codes", "codebooks", "caches", "engines", "configurations", "keys", "models"}) {
    CASE(kind);
    const ProcessResult names = axelram("list " + kind + " --names");
    const ProcessResult table = axelram("list " + kind);
    REQUIRE(names);
    REQUIRE(table);
    const Json json = Json::parse(axelram("list " + kind + " --json -").out);
    CHECK(json.size() ==
          static_cast<std::size_t>(std::count(names.out.begin(), names.out.end(), '\n')));
    CHECK(contains(names.out, json[0]["name"].get<std::string>() + "\n"));
    for (const Json& row : json)
      CHECK_AT(row, contains(table.out, "\n" + row["name"].get<std::string>()));
  }
  CHECK(contains(axelram("list caches --names").out, "\nmemory\n"));
  CHECK(axelram("list keys --json keys.json"));
  CHECK(axelram("list keys --json keys.json").code == 2);
  CHECK(axelram("list flavours").code == 2);
  CHECK(axelram("list").code == 2);
}

TEST_CASE("a shipped configuration is named wherever a file is taken") {
  const TempDir axelram;
  CHECK(axelram("generate d32-b3 -o by-name"));
  CHECK(axelram("generate " AXELRAM_SOURCE "/configs/d32-b3.yaml -o by-file"));
  CHECK_SAME(axelram.content("by-name/axelram.json"), axelram.content("by-file/axelram.json"));
  CHECK(axelram("run d32-b3 trace.safetensors -o out"));
  CHECK(axelram("report d32-b3"));
  const std::string model = AXELRAM_SOURCE "/tests/model/transformer/reference/llama-f32";
  CHECK(axelram("perplexity " + model + " " + model +
                "/expected.safetensors --cache axelram:config=d32-b3"));
  failed(axelram("generate d32-b33 -o out2"), 2, "d32-b3");
}

}  // namespace
