#include "axelram/files/liberty.hpp"

#include "needs.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

std::string liberty_rejection(const std::string& text) {
  const std::string got = test::message([&text] { parse_liberty(text, "x.lib"); });
  CHECK_MESSAGE((got.empty() || contains(got, "; ")), got);  // what would be right
  return got;
}

}  // namespace

TEST_CASE("groups, simple and complex attributes of a Liberty file") {
  const LibertyGroup library = parse_liberty(test::kSramLiberty, "x.lib");
  CHECK(library.kind == "library");
  CHECK_SAME(library.arguments, std::vector<std::string>{"small_lib"});
  CHECK(library.line == 3);
  CHECK(library.text("time_unit") == "1ns");
  CHECK(library.text("nom_voltage") == "1.2");
  CHECK(library.text("nothing").empty());
  REQUIRE(library.find("capacitive_load_unit"));
  CHECK_SAME(library.find("capacitive_load_unit")->values, std::vector<std::string>{"1", "pF"});
  CHECK(library.find("capacitive_load_unit")->line == 6);
  REQUIRE(library.group("cell", "small"));
  CHECK(library.group("cell", "other") == nullptr);
  const LibertyGroup& cell = *library.group("cell");
  const LibertyGroup* const pin = cell.group("bus", "dout1")->group("pin");
  REQUIRE(pin);
  CHECK_SAME(pin->arguments, std::vector<std::string>{"dout1[7:0]"});
  const LibertyGroup& table = *pin->group("timing")->group("cell_rise");
  CHECK_SAME(liberty_numbers(*table.find("values"), "x.lib"), std::vector<double>{1, 2, 3, 4});
}

TEST_CASE(
    "what Liberty files of tools do: comments, missing semicolons, expressions, continued lines") {
  const LibertyGroup library = parse_liberty(
      "// made by a tool\nlibrary(a){a : 1 /* one */ ;b : 2\nc : VDD + 0.5 * VSS ;\n"
      "define(x, pin, float);;\nempty() { }\ne : \"a \\\n b\";\nf : \"say \\\"x\\\"\"; g : -1e-3}",
      "x.lib");
  CHECK(library.text("a") == "1");
  CHECK(library.text("b") == "2");
  CHECK(library.text("c") == "VDD + 0.5 * VSS");
  CHECK(library.find("define")->values.size() == 3);
  CHECK(library.group("empty") != nullptr);
  CHECK(library.text("e") == "a  b");
  CHECK(library.text("f") == "say \"x\"");
  CHECK(liberty_number(*library.find("g"), "x.lib") == -1e-3);
  CHECK(library.find("g")->line == 8);
}

TEST_CASE("a byte order mark in front of a Liberty file is none of its words") {
  const LibertyGroup library = parse_liberty("\xEF\xBB\xBFlibrary(a) { b : 1; }", "x.lib");
  CHECK(library.arguments.front() == "a");
  CHECK(library.find("b")->line == 1);
  CHECK(contains(test::message([] { parse_liberty("library(\xEF\xBB\xBF) {", "x.lib"); }),
                 "x.lib:1"));
  CHECK(contains(
      test::message([] { parse_liberty("\xEF\xBB\xBF\xEF\xBB\xBFlibrary(a) {}", "x.lib"); }),
      "x.lib:1: no library"));
}

TEST_CASE("a broken Liberty file is an error with the line") {
  const auto broken = [](const std::string& part, const std::string& by) {
    return liberty_rejection(test::replaced(test::kSramLiberty, part, by));
  };
  CHECK(liberty_rejection("") == "x.lib:1: no library; a Liberty file begins with library(NAME) {");
  CHECK(contains(liberty_rejection("cell(a) {}"), "x.lib:1: no library"));
  CHECK(contains(liberty_rejection("library(a);"), "x.lib:1: a library without a body"));
  CHECK(contains(liberty_rejection("library(a) {}\nlibrary(b) {}"), "x.lib:2: 'library' behind"));
  CHECK(broken("  cell (small) {", "  cell (small) {{") ==
        "x.lib:21: '{' where an attribute or a group begins; write NAME : VALUE; or NAME(...) { "
        "... }");
  CHECK(
      contains(broken("of the tests */", "of the tests"), "x.lib:1: a comment that does not end"));
  CHECK(contains(broken("\"1ns\"", "\"1ns"), "x.lib:4: a text without its closing '\"'"));
  CHECK(contains(broken("memory() {", "memory( {"), "x.lib:22: the '(' behind 'memory'"));
  CHECK(contains(broken("area : 1000;", "area : ;"), "x.lib:27: 'area' has no value"));
  CHECK(contains(broken("area : 1000;", "area 1000;"), "x.lib:27: 'area' without a value"));
  CHECK(contains(broken("area : 1000;", "area : 1 {"), "x.lib:27: '{' in the value of 'area'"));
  CHECK(contains(broken("area : 1000;", "area \\ : 1;"), "x.lib:27: a backslash within a line"));
  CHECK(contains(broken("area : 1000;", "a\x01 : 1;"), "x.lib:27: control character '\\x01'"));
  CHECK(contains(broken("area : 1000;", "include_file(x);"), "x.lib:27: include_file"));
  const std::string whole = test::kSramLiberty;
  CHECK(contains(liberty_rejection(whole.substr(0, whole.size() - 2)),
                 "x.lib:3: 'library' is not closed"));
}

TEST_CASE("groups are nested no deeper than the limit") {
  const auto nested = [](int depth) {
    std::string text = "library(a) {";
    for (int i = 0; i < depth; ++i) text += "g() {";
    for (int i = 0; i < depth; ++i) text += '}';
    return text + '}';
  };
  CHECK(liberty_rejection(nested(kMaxLibertyDepth - 1)).empty());
  CHECK(contains(liberty_rejection(nested(kMaxLibertyDepth)), "nested deeper than 32"));
  CHECK(contains(liberty_rejection(nested(1000000)), "nested deeper than 32"));
}

TEST_CASE("a file has no more attributes, groups and arguments than the limit") {
  std::string text = "library(a) { b(1";
  for (std::size_t i = 0; i < kMaxLibertyItems; ++i) text += ",1";
  CHECK(contains(liberty_rejection(text + "); }"), "x.lib:1: more than 2097152 attributes"));
}

TEST_CASE("a number is finite and decimal") {
  const auto number = [](const std::string& text) {
    return liberty_number(*parse_liberty("library(a) {\nx : " + text + ";}", "x.lib").find("x"),
                          "x.lib");
  };
  CHECK(number("\"+1.5e+01\"") == 15);
  for (const char* text : {"nan", "inf", "1e999", "1x", "\"\"", "0x10", "--1", "1 2"})
    CHECK_AT(text, contains(test::message([&] { number(text); }), "x.lib:2: x has '"));
}

TEST_CASE("the library of standard cells that qflow installs" * test::needs_qflow) {
  const std::string path = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
  const LibertyGroup library = parse_liberty(test::content(path), path);
  CHECK_SAME(library.arguments, std::vector<std::string>{"osu018_stdcells"});
  REQUIRE(library.group("cell", "NAND2X1"));
  const LibertyGroup& nand = *library.group("cell", "NAND2X1");
  CHECK(liberty_number(*nand.find("area"), path) == 24);
  CHECK(nand.group("pin", "Y")->text("function") == "(!(A B))");
}
