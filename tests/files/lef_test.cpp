#include "axelram/files/lef.hpp"

#include "needs.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

TEST_CASE("the sizes of the macros of a LEF file") {
  const std::vector<LefMacro> macros = parse_lef(test::kSramLef, "x.lef");
  REQUIRE(macros.size() == 2);
  CHECK(macros[0].name == "other");
  CHECK(macros[1].name == "small");
  CHECK(macros[1].width == 50);
  CHECK(macros[1].height == 40);
  CHECK(macros[1].line == 8);
}

TEST_CASE("MACRO of property definitions and texts is none, and a macro may have no size") {
  const std::vector<LefMacro> macros = parse_lef(
      "PROPERTYDEFINITIONS\n MACRO p STRING ;\nEND PROPERTYDEFINITIONS\nMACRO a ; PROPERTY p \"x\n"
      "SIZE 1 BY 1\" ;\n PIN p\n  PORT\n  END\n END p\nEND a\nMACRO b\n CLASS BLOCK ; SIZE 3 BY 4 "
      "; END b",
      "x.lef");
  REQUIRE(macros.size() == 2);
  CHECK(macros[0].width == 0);
  CHECK(macros[1].width == 3);
}

TEST_CASE("a byte order mark in front of a LEF file is none of its words") {
  CHECK(parse_lef("\xEF\xBB\xBFMACRO a\n SIZE 1 BY 2 ;\nEND a\n", "x.lef").front().name == "a");
  CHECK(parse_lef(std::string("\xEF\xBB\xBF") + test::kSramLef, "x.lef").size() == 2);
  CHECK(contains(test::message([] { parse_lef("\xEF\xBB\xBF\nMACRO", "x.lef"); }),
                 "x.lef:2: MACRO ''"));
}

TEST_CASE("a broken LEF file is an error with the line") {
  const auto broken = [](const std::string& part, const std::string& by) {
    const std::string text = test::replaced(test::kSramLef, part, by);
    const std::string got = test::message([&text] { parse_lef(text, "x.lef"); });
    CHECK_MESSAGE(contains(got, "; "), got);
    return got;
  };
  CHECK(broken("SIZE 50 BY 40.0 ;", "SIZE 50 40.0 ;") ==
        "x.lef:10: '40.0' in a SIZE; write SIZE WIDTH BY HEIGHT ; in micrometres");
  for (const char* by : {"SIZE x BY 1 ;", "SIZE -1 BY 1 ;", "SIZE 1 BY nan ;", "SIZE 1 BY ;"}) {
    CASE(by);
    CHECK_AT(by, contains(broken("SIZE 50 BY 40.0 ;", by), "x.lef:10: SIZE has '"));
  }
  CHECK(contains(broken("SIZE 50 BY 40.0 ;", "SIZE 1 BY 1 ;\nSIZE 1 BY 1 ;"),
                 "x.lef:11: a second SIZE of MACRO 'small'"));
  CHECK(contains(broken("END small", "END"), "x.lef:8: MACRO 'small' does not end"));
  CHECK(contains(broken("MACRO small", "MACRO other"), "x.lef:8: MACRO 'other' repeats"));
  CHECK(contains(test::message([] { parse_lef("", "x.lef"); }), "x.lef:1: no MACRO"));
  CHECK(contains(test::message([] { parse_lef("\nMACRO", "x.lef"); }), "x.lef:2: MACRO ''"));
}

TEST_CASE("the cells that qflow installs" * test::needs_qflow) {
  const std::string path = "/usr/share/qflow/tech/osu018/osu018_stdcells.lef";
  const std::vector<LefMacro> macros = parse_lef(test::content(path), path);
  CHECK(macros.size() > 30);
  for (const LefMacro& macro : macros) {
    CASE(macro.name);
    CHECK(macro.width > 0);
    CHECK(macro.height == 10);
  }
}
