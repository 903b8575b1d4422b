#include "axelram/files/config_keys.hpp"

#include <algorithm>

#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

/// Environment variable for the time of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("the programmer's guide shows the table of keys") {
  test::check_page("reference/programmers-guide.md", "config-keys", config_keys_markdown());
}

TEST_CASE("every key has a type, a help text and a default or none") {
  const std::vector<ConfigKeyRow> rows = config_keys();
  CHECK(rows.size() == 67);
  for (const ConfigKeyRow& row : rows) {
    CASE(row.key);
    CHECK_FALSE(row.type.empty());
    CHECK_FALSE(row.help.empty());
    CHECK(row.range.empty() == (row.type == "file"));
    CHECK_FALSE(contains(row.help, "\n"));
    const bool optional = row.type == "file" || row.type == "flag" || row.type == "integers";
    CHECK(row.default_value.empty() == optional);
  }
}

TEST_CASE("shipped configurations are found by name, files first") {
  const std::vector<std::string> names = shipped_configs();
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) CHECK_AT(name, find_config(name).name == name);
  CHECK(std::find(names.begin(), names.end(), "paper-d128-b3") != names.end());

  const test::TemporaryFolder folder;
  test::put(folder / "own.yaml", "macro: {head_dim: 64}");
  CHECK(find_config(folder / "own.yaml").parameters.head_dim == 64);
  CHECK(find_config_file(folder.path()) == folder.path());
}

TEST_CASE("AXELRAM_SHARE replaces the shipped configurations") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "configs");
  test::put(folder / "configs/tiny.yaml", "macro: {head_dim: 32}");
  const Environment share("AXELRAM_SHARE", folder.path());
  CHECK_SAME(shipped_configs(), std::vector<std::string>{"tiny"});
  CHECK(find_config("tiny").parameters.head_dim == 32);
}

TEST_CASE("an unknown configuration is an error with the nearest names") {
  const auto message = [](const std::string& text) {
    return test::message([&text] { find_config(text); });
  };
  CHECK(contains(message("paper-d128-b33"), "did you mean 'paper-d128-b3'"));
  CHECK(contains(message("d32-b4"), "'d32-b3'"));
  CHECK(contains(message("no-such-thing-at-all"), "axelram list configurations"));
  CHECK(contains(message(""), "no such file"));
}
