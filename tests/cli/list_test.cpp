
#include "program.hpp"

namespace {

using test::Json;

TEST_CASE("list prints tables, names alone, and JSON") {
  const test::TempDir axelram;
  const test::ProcessResult engines = axelram("list engines --names");
  CHECK(engines.code == 0);
  CHECK(engines.err.empty());
  CHECK(engines.out == "golden\nfast\nrtl\ncuda\n");
  for (const std::string kind :
       {"codes", "codebooks", "caches", "engines", "configurations", "keys", "models"}) {
    CASE(kind);
    const test::ProcessResult names = axelram("list " + kind + " --names");
    const test::ProcessResult table = axelram("list " + kind);
    REQUIRE(names.code == 0);
    REQUIRE(table.code == 0);
    const Json json = Json::parse(axelram("list " + kind + " --json -").out);
    CHECK(json.size() ==
          static_cast<std::size_t>(std::count(names.out.begin(), names.out.end(), '\n')));
    CHECK(test::contains(names.out, json[0]["name"].get<std::string>() + "\n"));
    for (const Json& row : json)
      CHECK_AT(row, test::contains(table.out, "\n" + row["name"].get<std::string>()));
  }
  CHECK(test::contains(axelram("list caches --names").out, "\nmemory\n"));
  CHECK(axelram("list keys --json keys.json").code == 0);
  CHECK(axelram("list keys --json keys.json").code == 2);
  CHECK(axelram("list flavours").code == 2);
  CHECK(axelram("list").code == 2);
}

TEST_CASE("a shipped configuration is named wherever a file is taken") {
  const test::TempDir axelram;
  CHECK(axelram("generate d32-b3 -o by-name").code == 0);
  CHECK(axelram("generate " AXELRAM_SOURCE "/configs/d32-b3.yaml -o by-file").code == 0);
  CHECK_SAME(test::content(axelram.at("by-name/axelram.json")),
             test::content(axelram.at("by-file/axelram.json")));
  CHECK(axelram("run d32-b3 trace.safetensors -o out").code == 0);
  CHECK(axelram("report d32-b3").code == 0);
  const std::string model = AXELRAM_SOURCE "/tests/model/transformer/reference/llama-f32";
  CHECK(axelram("perplexity " + model + " " + model +
                "/expected.safetensors --cache axelram:config=d32-b3")
            .code == 0);
  const test::ProcessResult near = axelram("generate d32-b33 -o out2");
  CHECK(near.code == 2);
  CHECK(test::contains(near.err, "d32-b3"));
}

}  // namespace
