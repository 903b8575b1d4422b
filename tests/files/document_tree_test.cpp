#include "axelram/files/document_tree.hpp"

#include "axelram/files/config.hpp"
#include "check.hpp"
#include "support.hpp"

using namespace axelram::files;

namespace {

constexpr DocumentKind kKind = {"a thing", "a: 1", "{\"a\": 1}"};

DocumentNode tree_of(const std::string& text) { return parse_tree(text, "f", kKind); }

std::string tree_message(const std::string& text) {
  try {
    tree_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("document tree: values, lists and maps with their lines") {
  const DocumentNode root = tree_of("a: 1\nb:\n  - x\n  - [2, '3']\nc: {d: {e: 5}}\n");
  REQUIRE(root.is_map());
  REQUIRE(root.children.size() == 3);
  CHECK(root.find("a")->text == "1");
  CHECK(root.find("a")->plain);
  CHECK(root.find("a")->line == 1);
  const DocumentNode& list = *root.find("b");
  REQUIRE(list.is_list());
  CHECK(list.line == 2);
  CHECK(list.children[0].text == "x");
  CHECK(list.children[0].line == 3);
  REQUIRE(list.children[1].is_list());
  CHECK(list.children[1].children[1].text == "3");
  CHECK_FALSE(list.children[1].children[1].plain);
  CHECK(root.find("c")->find("d")->find("e")->text == "5");
  CHECK(root.find("c")->find("d")->find("e")->line == 5);
  CHECK(root.find("none") == nullptr);
  CHECK(tree_of("").children.empty());
  CHECK(tree_of("~").children.empty());
}

TEST_CASE("document tree: what is no tree is told with its line") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"5", "f:1: one value, '5', instead of a map; write such as a: 1"},
      {"- 5", "f:1: a list; write such as a: 1"},
      {"a: 1\na: 2", "f:2: 'a' repeats; line 1 has it already, keep one"},
      {"a:\n  - b:\n", "f:2: 'b' has an empty value"},
      {"a: [1, ~]", "f:1: 'a' has an empty value"},
      {"a: [[~]]", "f:1: the list has an empty value"},
      {"? ~\n: 1", "f:1: an empty key"},
      {"{[1]: 2}", "f:1: a list as a key"},
      {"{{a: 1}: 2}", "f:1: a map as a key"},
      {"a: {<<: {b: 1}}", "f:1: a merge key (<<)"},
      {"a: &x 1", "f:1: an anchor (&)"},
      {"a: !!int 1", "f:1: the tag"},
      {"a: [[[[1]]]]", "f:1: more than 4 lists and maps within each other"},
      {"a: \"\\x01", "f:1: not YAML"},
      {"--- {}\n--- {}", "f:2: a second document begins; a thing is one document"},
      {"a: \xff", "f:1: not UTF-8"}};
  for (const auto& [text, part] : cases) CHECK_AT(text, tree_message(text).rfind(part, 0) == 0);
  CHECK(tree_of("a: [[[1]]]").children.size() == 1);
}

DocumentNode value(const std::string& text) { return tree_of("a: " + text).children[0]; }

TEST_CASE("configuration: an override takes the place of a value, or is added") {
  const std::string text = "macro: {head_dim: 64, index_bits: 2}\n";
  const auto with = [&](const std::vector<ConfigOverride>& changes) {
    return parse_config(text, "f.yaml", "", changes);
  };
  CHECK(with({}).parameters.index_bits == 2);
  CHECK(with({{"macro", "index_bits", value("4")}}).parameters.index_bits == 4);
  CHECK(with({{"macro", "head_dim", value("32")}}).microarchitecture.key_lanes == 32);
  CHECK(with({{"ecc", "code", value("golay24")}}).ecc.code == "golay24");
  CHECK(with({{"macro", "max_keys", value("7")}}).max_keys == 7);

  const auto message = [&](const ConfigOverride& change) -> std::string {
    try {
      with({change});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message({"macro", "index_bits", value("5")}).rfind("f.yaml:1: index_bits is 5;", 0) == 0);
  CHECK(message({"macro", "index_bits", value("'3'")}).rfind("f.yaml:1: index_bits is", 0) == 0);
  CHECK(message({"macro", "index_bits", value("[3]")}) ==
        "f.yaml:1: 'index_bits' is a list; it takes one value");
  CHECK(message({"split", "bits", value("[4, [2]]")}) ==
        "f.yaml:1: 'bits' holds lists or maps; its elements are single values");
}

}  // namespace
