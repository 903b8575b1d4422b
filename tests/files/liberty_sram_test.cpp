#include "axelram/files/sram.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using namespace test;

namespace {

SramMacro small_sram(const std::string& text, const SramSettings& settings = {}) {
  return liberty_sram(text, "x.lib", settings);
}

doctest::Approx exactly(double value) { return doctest::Approx(value).epsilon(1e-12).scale(0); }

const std::string kSmall = test::kSramLiberty;

}  // namespace

TEST_CASE("an SRAM by its Liberty file") {
  const SramMacro macro = small_sram(kSmall);
  CHECK(macro.name == "small");
  CHECK(macro.corner == "typical, 1.1 V, 85 C");
  CHECK(macro.ports == "1rw1r");
  CHECK(macro.words == 16);
  CHECK(macro.bits == 8);
  CHECK(*macro.area.value == exactly(1000e-6));
  CHECK(*macro.read.value == exactly(5));  // of clk1, which only reads, and not 60 of clk0
  CHECK(macro.read.note == "rise_power + fall_power of clk1 when !csb1");
  CHECK(*macro.write.value == exactly(7));
  CHECK(macro.write.note == "rise_power + fall_power of clk0 when !csb0&!web0");
  CHECK(*macro.access.value == exactly(2.5));
  CHECK(macro.access.note == "from clk1 to the data at 20 ps and 10 fF");
  CHECK(*macro.leakage.value == exactly(2));
}

TEST_CASE("units of a library scale its figures") {
  const auto with = [](const std::string& part, const std::string& by) {
    return small_sram(replaced(kSmall, part, by));
  };
  CHECK(*with("leakage_power_unit : \"1mW\"", "leakage_power_unit : \"10nW\"").leakage.value ==
        exactly(2e-5));
  CHECK(*with("voltage_unit : \"1V\"", "voltage_unit : \"100mV\"").read.value == exactly(0.05));
  // In fF and ps the table begins far below 20 ps and 10 fF, whose entries are the last.
  const SramMacro small =
      small_sram(replaced(kSmall, {{"(1, pF)", "(1, ff)"}, {"\"1ns\"", "\"1ps\""}}));
  CHECK(*small.read.value == exactly(0.005));
  CHECK(*small.access.value == exactly(4e-3));
  CHECK(contains(small.access.note, "nearest entry"));
  CHECK(contains(test::message([] { small_sram(replaced(kSmall, "\"1mW\"", "\"1 horse\"")); }),
                 "x.lib:7: leakage_power_unit is '1horse'; it must be a number and a unit"));
  CHECK(contains(with("leakage_power_unit : \"1mW\" ;", "").leakage.note,
                 "not given: no leakage_power_unit"));
  CHECK(contains(with("voltage_unit : \"1V\" ;", "").read.note, "not given: no voltage_unit"));
}

TEST_CASE("load and slew choose the place in a table") {
  SramSettings settings;
  settings.load = 5;
  settings.slew = 10;
  CHECK(*small_sram(kSmall, settings).access.value == exactly(1));
  settings.load = 15;
  CHECK(*small_sram(kSmall, settings).access.value == exactly(2));
  settings.slew = 30;
  CHECK(*small_sram(kSmall, settings).access.value == exactly(4));
  settings.slew = 25;
  settings.load = 10;
  CHECK(*small_sram(kSmall, settings).access.value == exactly(3));
  settings.slew = 100;
  CHECK(*small_sram(kSmall, settings).access.value == exactly(3.5));
  CHECK(contains(small_sram(kSmall, settings).access.note, "100 ps and 10 fF, nearest entry"));
}

TEST_CASE("a zero is a figure that the file does not give") {
  const SramMacro macro = small_sram(
      replaced(kSmall, {{"\"4\"", "\"0\""},
                        {"\"3\"", "\"0\""},
                        {"\"3\"", "\"0\""},
                        {"\"2\"", "\"0\""},
                        {"area : 1000", "area : 0"},
                        {"0.002", "0"},
                        {"\"1, 2\",\\\n                   \"3, 4\"", "\"0, 0\", \"0, 0\""},
                        {"\"1, 1\", \"1, 1\"", "\"0, 0, 0, 0\""}}));
  for (const SourceFigure& figure :
       {macro.area, macro.read, macro.write, macro.access, macro.leakage}) {
    CASE(figure.note);
    CHECK(!figure.value);
    CHECK(contains(figure.note, "not given: "));
  }
}

TEST_CASE("what a file leaves out is not given") {
  const auto without = [](const std::string& part) {
    return small_sram(replaced(kSmall, part, ""));
  };
  CHECK(contains(without("area : 1000;").area.note, "no area"));
  CHECK(contains(without("cell_leakage_power : 0.002;").leakage.note, "no cell_leakage_power"));
  CHECK(contains(without("clocked_on : clk0;").write.note, "no memory_write"));
  const SramMacro renamed = small_sram(replaced(kSmall, "pin(clk1)", "pin(other)"));
  CHECK(renamed.read.note == "not given: no pin clk1");
  CHECK(
      contains(small_sram(test::replaced_all(kSmall, "internal_power", "power_internal")).read.note,
               "clk1 has no internal_power"));
  CHECK(contains(small_sram(test::replaced_all(kSmall, "rising_edge", "combinational")).access.note,
                 "no timing from a clock edge"));
}

TEST_CASE("data behind the falling edge come later by the high level of the clock") {
  const std::string falling = replaced(kSmall, "\"clk1\";\n          timing_type : rising_edge",
                                       "\"clk1\";\n          timing_type : falling_edge");
  const SramMacro macro = small_sram(falling);
  CHECK(*macro.access.value == exactly(4));
  CHECK(contains(macro.access.note, "behind the shortest high level, 1.5 ns"));
  const SramMacro open = small_sram(replaced(falling, "min_pulse_width", "other"));
  CHECK(!open.access.value);
  CHECK(contains(open.access.note, "2.5 ns from the falling edge of clk1"));
}

TEST_CASE("energy that no SRAM takes is not credible") {
  const SramMacro macro = small_sram(replaced(kSmall, "\"2\"", "\"5.075574e+10\""));
  CHECK(!macro.read.value);
  CHECK(contains(macro.read.note, "not credible: "));
}

TEST_CASE("internal power that is the same in a disabled SRAM is that of a model") {
  const SramMacro macro = small_sram(
      replaced(kSmall,
               "when : \"csb1\";\n        rise_power(scalar) { values(\"1\"); }\n        "
               "fall_power(scalar) { values(\"0.5\"); }",
               "when : \"csb1\";\n        rise_power(scalar) { values(\"3\"); }\n        "
               "fall_power(scalar) { values(\"2\"); }"));
  CHECK(*macro.read.value == exactly(5));
  CHECK(contains(macro.read.note, "modelled and not simulated"));
}

TEST_CASE("conditions of an access are known by the names of pins, or named") {
  const auto renamed = [](const std::string& when) {
    return small_sram(replaced(kSmall, "\"!csb1\"", "\"" + when + "\"")).read;
  };
  for (const char* when : {"!CENB", "CEA", "(!csb1", "!cen1 & wen1", "ce1&!we1", "cs1*!we1"})
    CHECK_AT(when, renamed(when).value.has_value() == (when[0] != '('));
  for (const char* when : {"!x", "!csb1 | web1", "!csb1 & !web1", "csb1"}) {
    CASE(when);
    CHECK(!renamed(when).value);
    CHECK(contains(renamed(when).note, "sram.read_when chooses one"));
  }
  SramSettings settings;
  settings.read_when = "csb1";
  CHECK(*small_sram(kSmall, settings).read.value == exactly(1.5));
  settings.read_when = "csb0";
  CHECK(test::message([&] { small_sram(kSmall, settings); }) ==
        "x.lib:79: internal_power has no condition 'csb0'; sram.read_when must be '!csb1' or "
        "'csb1'");
  settings = {};
  settings.write_when = " csb0 & web0 ";
  CHECK(*small_sram(kSmall, settings).write.value == exactly(2));
  // Two rails are added; one rail twice is not clear.
  const std::string pair =
      "when : \"!csb1\"; related_pg_pin : a; rise_power(scalar) { values(\"10\"); } }\n"
      "internal_power() { when : \"!csb1\";";
  CHECK(*small_sram(replaced(kSmall, "when : \"!csb1\";", pair)).read.value == exactly(15));
  CHECK(contains(
      small_sram(replaced(kSmall, "when : \"!csb1\";", replaced(pair, "related_pg_pin : a;", "")))
          .read.note,
      "not clear: one condition has two internal_power of clk1"));
}

TEST_CASE("an SRAM with one port reads and writes by it") {
  std::string one = replaced(kSmall, "memory_read() { address : addr1; }", "");
  one = replaced(one, "\"30\"", "\"20\"");
  const SramMacro macro = small_sram(one);
  CHECK(macro.ports == "1rw");
  CHECK(*macro.read.value == exactly(50));
  CHECK(*macro.write.value == exactly(7));
  CHECK(*macro.access.value == exactly(9));
}

TEST_CASE("OpenRAM writes mean powers") {
  const SramMacro macro = openram_sram(kSmall, "x.lib", {});
  CHECK(*macro.read.value == exactly((3 + 2) / 2.0 * 4));
  CHECK(macro.read.note == "mean of both powers of clk1 when !csb1 over the shortest period, 4 ns");
  CHECK(*macro.write.value == exactly((4 + 3) / 2.0 * 4));
  // Port 1 of sky130_sram_2kbyte_1rw1r_32x512_8, and the same numbers as energies.
  const std::string macros =
      replaced(test::replaced_all(kSmall, "rise_constraint(scalar) { values(\"4\")",
                                  "rise_constraint(scalar) { values(\"5.156\")"),
               "\"3\"); }\n        fall_power(scalar) { values(\"2\")",
               "\"2.868735\"); }\n        fall_power(scalar) { values(\"2.519171\")");
  CHECK(*openram_sram(macros, "x.lib", {}).read.value == doctest::Approx(13.89).epsilon(1e-5));
  CHECK(*small_sram(macros).read.value == doctest::Approx(5.39).epsilon(1e-3));
  const std::string open = test::replaced_all(kSmall, "minimum_period", "other");
  CHECK(!openram_sram(open, "x.lib", {}).read.value);
}

TEST_CASE("an incomplete SRAM is an error with the line") {
  const auto broken = [](const std::string& part, const std::string& by) {
    const std::string got = test::message([&] { small_sram(replaced(kSmall, part, by)); });
    CHECK_MESSAGE(contains(got, "; "), got);
    return got;
  };
  CHECK(contains(broken("memory() {", "memories() {"), "x.lib:3: no cell with a memory group"));
  CHECK(contains(broken("word_width : 8;", ""), "x.lib:22: memory has no word_width"));
  CHECK(contains(broken("address_width : 4", "address_width : 31"),
                 "x.lib:24: address_width is 31; it must be a whole number in 1..30"));
  CHECK(contains(broken("word_width : 8", "word_width : 2.5"), "x.lib:25: word_width is 2.5"));
  CHECK(contains(broken("area : 1000", "area : big"), "x.lib:27: area has 'big'"));
  CHECK(contains(broken("\"3, 4\"", "\"3, 4, 5\""), "x.lib:50: 5 values; the indices ask for 4"));
  CHECK(contains(broken("cell_fall(delay)", "cell_fall(none)"), "x.lib:53: no template 'none'"));
  CHECK(contains(broken("index_1(\"0.01, 0.03\")", "index_1(\"0.03, 0.01\")"),
                 "x.lib:18: index_1 does not ascend"));
  CHECK(contains(broken("index_2(\"0.005, 0.015\");", ""), "has no index_2"));
  CHECK(contains(broken("  cell (small) {", "  cell(a) { memory() { } }\n  cell (small) {"),
                 "x.lib:22: a second cell with a memory group"));
}
