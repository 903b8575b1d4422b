#include "axelram/commands/list.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "axelram/caches/kinds.hpp"
#include "axelram/code.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/files/config_keys.hpp"
#include "axelram/parameters.hpp"
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
  CHECK(names(ListKind::codes) == code_family_names());
  CHECK(names(ListKind::codebooks) == names_of<CodebookKind>());
  CHECK(names(ListKind::engines) == names_of<EngineKind>());
  CHECK(names(ListKind::configurations) == files::shipped_configs());
  CHECK(names(ListKind::configurations).size() >= 20);
  CHECK(names(ListKind::caches).size() == caches::cache_kinds().size());
  CHECK(names(ListKind::keys).size() == files::config_keys().size());
  CHECK(names(ListKind::models) == std::vector<std::string>{"smollm2-135m", "gemma3-270m"});
}

TEST_CASE("every kind of list has complete rows, and JSON with the same cells") {
  for (const auto& kind : EnumNames<ListKind>::rows) {
    CAPTURE(kind.name);
    const commands::ListResult result = commands::list({kind.value, "", false});
    const auto json = nlohmann::json::parse(commands::to_json(result));
    REQUIRE(result.rows.size() > 1);
    REQUIRE(json.size() == result.rows.size());
    CHECK(result.columns.front() == "name");
    for (std::size_t r = 0; r < result.rows.size(); ++r) {
      REQUIRE(result.rows[r].size() == result.columns.size());
      CHECK(!result.rows[r].front().empty());
      for (std::size_t c = 0; c < result.columns.size(); ++c)
        CHECK(json[r][result.columns[c]] == result.rows[r][c]);
    }
  }
}

TEST_CASE("a list is written to a file that does not exist yet") {
  const test::TemporaryFolder folder;
  const std::string file = folder / "codes.json";
  const commands::ListResult result = commands::list({ListKind::codes, file, false});
  CHECK(test::content(file) == commands::to_json(result));
  CHECK_THROWS_AS(commands::list({ListKind::codes, file, false}), files::InputError);
  CHECK_NOTHROW(commands::list({ListKind::engines, file, true}));
}
