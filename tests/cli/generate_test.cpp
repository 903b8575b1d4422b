#include <map>
#include <set>

#include "program.hpp"

namespace {

using namespace test;

std::map<std::string, std::string> tree(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).string()] =
          content(entry.path().string());
  return files;
}

TEST_CASE("the same configuration gives the same bytes") {
  const TempDir axelram;
  REQUIRE(axelram("generate small.yaml -o first"));
  REQUIRE(axelram("generate small.yaml -o deep/second"));
  const auto first = tree(axelram.at("first"));
  CHECK_SAME(first, tree(axelram.at("deep/second")));
  for (const char* name :
       {"rtl/small_top.sv", "rtl/small_pkg.sv", "rtl/small_sign_rom.sv", "axelram.f",
        "axelram.core", "axelram_common.core", "rtl/common/axelram_macro.sv", "axelram.sdc",
        "axelram.json", "config.yaml", "views/memories.json", "views/axelram.f",
        "views/axelram_sram_1r1w.sv", "views/config.mk", "views/small_sram_64x112.v",
        "views/small_sram_64x112.lib", "views/small_sram_64x112.lef"})
    CHECK_AT(name, first.count(name) == 1);

  REQUIRE(axelram("generate small.yaml -o observed --observe"));
  const std::set<std::string> changed = {"rtl/small_top.sv", "axelram.json", "axelram.f",
                                         "tb/small_tb.sv", "views/axelram.f"};
  for (const auto& [name, text] : tree(axelram.at("observed"))) {
    CASE(name, text);
    CHECK((text == first.at(name)) == (changed.count(name) == 0));
  }

  // What was generated describes itself.
  REQUIRE(axelram("generate first/config.yaml -o third"));
  for (const auto& [name, text] : tree(axelram.at("third"))) {
    CASE(name);
    CHECK_SAME(text, first.at(name));
  }
}

TEST_CASE("a name that hardware cannot have: told where, and nothing is written") {
  const TempDir axelram;
  const std::string rest = ", head_dim: 32, index_bits: 3, max_keys: 64}\n";
  axelram.put("long.yaml", "macro: {name: " + std::string(255, 'a') + rest);
  const std::string file = std::string(240, 'b') + ".yaml";
  axelram.put(file, axelram.content("small.yaml"));
  axelram.put("taken.yaml", "macro: {name: common" + rest);
  axelram.put("common.yaml", axelram.content("small.yaml"));
  const std::string names = ": names of modules begin with that of the macro";
  const std::string length = "which has 255 characters, and may have 120";
  const std::string named = "long.yaml:1" + names + ", as " + std::string(255, 'a') + ", " + length;
  axelram.rejected("generate long.yaml -o out", named);
  axelram.rejected("generate " + file + " -o out", ", which has 240 characters, and may have 120");
  axelram.rejected("generate taken.yaml -o out", "taken.yaml:1" + names + ", as common, which the");
  axelram.rejected("generate common.yaml -o out",
                   "common.yaml" + names + ", here of its file, as common, which the");
  axelram.rejected("verify long.yaml -o out", named);
  // Who reads no core may have a macro of this name; who needs no hardware, a name of any length.
  CHECK(axelram("datasheet common.yaml --json sheet.json"));
  for (const std::string& name : {std::string("long.yaml"), file, std::string("common.yaml")})
    CHECK_AT(name, axelram("run " + name + " trace.safetensors -o scores --force"));
}

TEST_CASE("files with other content are not written over") {
  const TempDir axelram;
  REQUIRE(axelram("generate small.yaml -o out"));
  CHECK(axelram("generate small.yaml -o out"));  // the same content is no conflict
  const std::string changed = axelram.at("out/rtl/small_top.sv");
  const std::string original = content(changed);
  put(changed, "mine");
  std::filesystem::remove(axelram.at("out/axelram.f"));

  const ProcessResult rejected = axelram("generate small.yaml -o out");
  CHECK(rejected.code == 2);
  CHECK(contains(rejected.err, "small_top.sv: exists with other content"));
  CHECK(contains(rejected.err, "--force"));
  CHECK(content(changed) == "mine");
  CHECK(!axelram.has("out/axelram.f"));

  CHECK(axelram("generate small.yaml -o out --force"));
  CHECK_SAME(content(changed), original);
  const ProcessResult file = axelram("generate small.yaml -o small.yaml");
  CHECK(file.code == 2);
  CHECK(axelram.content("small.yaml").substr(0, 6) == "macro:");
}

}  // namespace
