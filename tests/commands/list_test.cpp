#include "axelram/commands/list.hpp"

#include <nlohmann/json.hpp>

#include "axelram/caches/kinds.hpp"
#include "axelram/code.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/files/config_keys.hpp"
#include "axelram/parameters.hpp"
#include "check.hpp"
#include "files/support.hpp"

using namespace axelram;

namespace {

std::vector<std::string> names(ListKind kind) {
  std::vector<std::string> result;
  for (const auto& row : commands::list({kind, "", false}).rows) result.push_back(row.front());
  return result;
}

}  // namespace

TEST_CASE("the lists are the tables of the libraries") {
  CHECK_SAME(names(ListKind::codes), code_family_names());
  CHECK_SAME(names(ListKind::codebooks), names_of<CodebookKind>());
  CHECK_SAME(names(ListKind::engines), names_of<EngineKind>());
  CHECK_SAME(names(ListKind::configurations), files::shipped_configs());
  CHECK(names(ListKind::configurations).size() >= 20);
  CHECK(names(ListKind::caches).size() == caches::cache_kinds().size());
  CHECK(names(ListKind::keys).size() == files::config_keys().size());
  CHECK_SAME(names(ListKind::models),
             std::vector<std::string>{"smollm2-135m", "gemma3-270m", "qwen2.5-coder-0.5b",
                                      "qwen2.5-coder-1.5b"});
}

TEST_CASE("every kind of list has complete rows, and JSON with the same cells") {
  for (const auto& kind : EnumNames<ListKind>::rows) {
    CASE(kind.name);
    const commands::ListResult result = commands::list({kind.value, "", false});
    const auto json = nlohmann::json::parse(commands::to_json(result));
    REQUIRE(result.rows.size() > 1);
    REQUIRE(json.size() == result.rows.size());
    CHECK(result.columns.front() == "name");
    for (std::size_t r = 0; r < result.rows.size(); ++r) {
      CASE(r);
      REQUIRE(result.rows[r].size() == result.columns.size());
      CHECK(!result.rows[r].front().empty());
      for (std::size_t c = 0; c < result.columns.size(); ++c)
        CHECK_AT(c, json[r][result.columns[c]] == result.rows[r][c]);
    }
  }
}

TEST_CASE("a list is written to a file that does not exist yet") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "codes.json";
  const commands::ListResult result = commands::list({ListKind::codes, file, false});
  CHECK_SAME(test::content(file), commands::to_json(result));
  CHECK_THROWS_AS(commands::list({ListKind::codes, file, false}), files::InputError);
  CHECK_NOTHROW(commands::list({ListKind::engines, file, true}));
}
