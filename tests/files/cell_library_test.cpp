#include "axelram/files/cell_library.hpp"

#include "needs.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using namespace test;

namespace {

const std::string kCells = R"LIBERTY(library(small) {
  nom_voltage : 1.8;
  operating_conditions(typical) { voltage : 1.8; temperature : 25; }
  operating_conditions(slow) { voltage : 1.6; temperature : 125; }
  default_operating_conditions : typical;
  cell(INV) { area : 1; pin(A) { direction : input; } pin(Y) { direction : output; function : "(!A)"; } }
  cell(BUFBIG) { area : 5; pin(A) { direction : input; } pin(Y) { direction : output; function : "(A)"; } }
  cell(BUF) { area : 3; pin(I) { direction : input; } pin(Z) { direction : output; function : "I"; } }
  cell(BUFMID) { area : 4; pin(A) { direction : input; } pin(Y) { direction : output; function : "A"; } }
  cell(TRI) { area : 2; pin(A) { direction : input; }
    pin(Y) { direction : output; function : "A"; three_state : "A"; } }
  cell(NANDBIG) { area : 3; pin(A) { direction : input; } pin(B) { direction : input; }
    pin(Y) { direction : output; function : "A' + B'"; } }
  cell(NAND) { area : 2; pin(A) { direction : input; } pin(B) { direction : input; }
    pin(Y) { direction : output; function : "!(A B)"; } }
  cell(NOR) { area : 1; pin(A) { direction : input; } pin(B) { direction : input; }
    pin(Y) { direction : output; function : "!(A + B)"; } }
  cell(FF) { area : 8; ff(IQ, IQN) { clocked_on : "(!CK)"; next_state : "D"; }
    pin(D) { direction : input; } pin(CK) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; } }
}
)LIBERTY";

CellLibrary library_of(const std::string& text, const std::string& corner = "") {
  return parse_cell_library(text, "x.lib", corner);
}

std::string refused(const std::string& text, const std::string& corner = "") {
  return test::message([&] { library_of(text, corner); });
}

std::string bits(const std::string& function, const std::vector<std::string>& inputs) {
  const auto table = truth_table(function, inputs);
  if (!table) return "none";
  std::string text;
  for (const bool bit : *table) text += bit ? '1' : '0';
  return text;
}

}  // namespace

TEST_CASE("a library of cells by its Liberty file") {
  const CellLibrary library = library_of(kCells);
  CHECK(library.conditions == "typical");
  CHECK(library.corner == "typical, 1.8 V, 25 C");
  CHECK(library.nand2 == "NAND");
  CHECK(library.buffer.name == "BUF");
  CHECK(library.buffer.input == "I");
  CHECK(library.buffer.output == "Z");
  CHECK(library.tree_buffer.name == "BUFMID");
  CHECK_SAME(library.flip_flops, std::map<std::string, std::string>{{"FF", "CK"}});
  CHECK(library.areas.size() == 9);
  CHECK(library.areas.at("FF") == 8);
  CHECK(library.digest.size() == 64);
  CHECK(contains(library.source, "x.lib (sha256 " + library.digest.substr(0, 12)));
}

TEST_CASE("the corner of a library") {
  CHECK(library_of(kCells, "slow").corner == "slow, 1.6 V, 125 C");
  CHECK(refused(kCells, "fast") ==
        "x.lib: no operating_conditions 'fast'; --corner must be typical or slow");
  const std::string bare = replaced(
      replaced(
          replaced(kCells, "  operating_conditions(typical) { voltage : 1.8; temperature : 25; }\n",
                   ""),
          "  operating_conditions(slow) { voltage : 1.6; temperature : 125; }\n", ""),
      "  default_operating_conditions : typical;\n", "");
  CHECK(library_of(bare).conditions.empty());
  CHECK(library_of(bare).corner == "1.8 V");
  CHECK(contains(refused(bare, "slow"), "leave --corner out"));
}

TEST_CASE("what a library lacks") {
  CHECK(refused(replaced(kCells, "\"(!A)\"", "\"A\"")) ==
        "x.lib:1: no inverter; a library to map to has one");
  CHECK(contains(refused(replaced(kCells, "ff(IQ, IQN)", "latch(IQ, IQN)")),
                 "no cell with an ff group"));
  CHECK(contains(refused(replaced(kCells, "area : 8", "area : big")), "x.lib:18: area has 'big'"));
  std::string none = kCells;
  for (const char* function : {"\"!(A B)\"", "\"A' + B'\""}) {
    CASE(function);
    none = replaced(none, function, "\"A B\"");
  }
  CHECK(contains(refused(none), "no NAND of two inputs"));
  std::string unused =
      replaced(kCells, "cell(NAND) { area : 2;", "cell(NAND) { area : 2; dont_use : true;");
  CHECK(library_of(unused).nand2 == "NANDBIG");
}

TEST_CASE("a zero area is not given") {
  const CellLibrary library =
      library_of(replaced(kCells, "area : 2; pin(A) { direction : input; } pin(B)",
                          "area : 0; pin(A) { direction : input; } pin(B)"));
  CHECK(library.areas.count("NAND") == 0);
  CHECK(library.nand2 == "NAND");
}

TEST_CASE("the latch of a library") {
  const auto with = [](const std::string& cells) {
    return library_of(replaced(kCells, "  cell(FF)", cells + "  cell(FF)"));
  };
  const auto latch = [](const std::string& name, const std::string& area, const std::string& state,
                        const std::string& pins) {
    return "  cell(" + name + ") { " + area + " latch(IQ, IQN) { " + state + " } " + pins +
           " pin(Q) { direction : output; function : \"IQ\"; } }\n";
  };
  const std::string pins = "pin(D) { direction : input; } pin(G) { direction : input; }";
  const std::string simple = "data_in : \"D\"; enable : \"G\";";
  CHECK(!with("").latch);
  CHECK(with("").latches.empty());

  const CellLibrary high =
      with(latch("BIG", "area : 9;", simple, pins) + latch("LAT", "area : 6;", simple, pins) +
           latch("MID", "area : 7;", simple, pins));
  REQUIRE(high.latch.has_value());
  CHECK(high.latch->name == "LAT");
  CHECK(high.latch->data == "D");
  CHECK(high.latch->enable == "G");
  CHECK(high.latch->output == "Q");
  CHECK(high.latch->high);
  CHECK_SAME(high.latches,
             std::map<std::string, std::string>{{"BIG", "G"}, {"LAT", "G"}, {"MID", "G"}});
  const CellLibrary low = with(latch("LAT", "", "data_in : \"D\"; enable : \"(!G)\";", pins));
  REQUIRE(low.latch.has_value());
  CHECK(!low.latch->high);
  CHECK(low.latch->enable == "G");
  CHECK(low.areas.count("LAT") == 0);

  // Latches that no techmap can use.
  for (const std::string& other :
       {latch("LAT", "", simple + " clear : \"(!R)\";", pins + " pin(R) { direction : input; }"),
        latch("LAT", "", simple, pins + " pin(SE) { direction : input; }"),
        latch("LAT", "", "data_in : \"D SE\"; enable : \"G\";", pins),
        latch("LAT", "", "data_in : \"D\"; enable : \"G H\";", pins),
        latch("LAT", "dont_use : true;", simple, pins),
        replaced(latch("LAT", "", simple, pins), "\"IQ\"", "\"IQN\"")}) {
    CASE(other);
    CHECK(!with(other).latch);
    CHECK(with(other).latches.count("LAT") == 1);
  }
}

TEST_CASE("an area that a library does not give is the SIZE of a LEF file with the same areas") {
  const std::string text = replaced(kCells, "area : 8; ff", "area : 0; ff");
  const auto lef = [](const std::string& macros) { return LefText{macros, "x.lef"}; };
  const auto macro = [](const std::string& name, const std::string& size) {
    return "MACRO " + name + "\n  SIZE " + size + " ;\nEND " + name + "\n";
  };
  const std::string same = macro("INV", "0.5 BY 2") + macro("BUF", "1.5 BY 2");
  const CellLibrary sized =
      parse_cell_library(text, "x.lib", "", lef(same + macro("FF", "4.5 BY 2")));
  CHECK(sized.areas.at("FF") == 9);
  CHECK_SAME(sized.sized, std::set<std::string>{"FF"});
  CHECK(contains(sized.lef, "x.lef (sha256 "));
  // A third of the cells differ; half of them do.
  const std::string third = same + macro("NOR", "2 BY 1") + macro("FF", "4.5 BY 2");
  CHECK(parse_cell_library(text, "x.lib", "", lef(third)).areas.count("FF") == 1);
  const CellLibrary other = parse_cell_library(
      text, "x.lib", "",
      lef(macro("INV", "1 BY 1") + macro("NOR", "2 BY 1") + macro("FF", "1 BY 1")));
  CHECK(other.areas.count("FF") == 0);
  CHECK(other.sized.empty());
  CHECK(other.lef.empty());
  // Sizes that are not given, and areas that are.
  CHECK(parse_cell_library(text, "x.lib", "", lef(same + "MACRO FF\nEND FF\n")).areas.count("FF") ==
        0);
  CHECK(
      parse_cell_library(kCells, "x.lib", "", lef(same + macro("FF", "4.5 BY 2"))).areas.at("FF") ==
      8);
  CHECK(contains(test::message([&] { parse_cell_library(text, "x.lib", "", lef("MACRO A\n")); }),
                 "x.lef:1"));
}

TEST_CASE("areas of osu018 are those of both its files" * test::needs_qflow) {
  const CellLibrary library =
      read_cell_library("/usr/share/qflow/tech/osu018/osu018_stdcells.lib", "");
  CHECK(library.areas.at("DFFPOSX1") == 96);
  CHECK(library.areas.at("LATCH") == doctest::Approx(56));
  CHECK_SAME(library.sized, std::set<std::string>{"LATCH"});
  CHECK(contains(library.lef, "osu018_stdcells.lef (sha256 "));
  REQUIRE(library.latch.has_value());
  CHECK(library.latch->name == "LATCH");
  CHECK(library.latch->enable == "CLK");
  CHECK(library.latch->high);
}

TEST_CASE("values of a Liberty function") {
  const std::vector<std::string> ab = {"A", "B"};
  CHECK(bits("A & B", ab) == "0001");
  CHECK(bits("A*B", ab) == "0001");
  CHECK(bits("A B", ab) == "0001");
  CHECK(bits("A (B)", ab) == "0001");
  CHECK(bits("A | B", ab) == "0111");
  CHECK(bits("A + !B", ab) == "1011");
  CHECK(bits("A ^ B", ab) == "0110");
  CHECK(bits("A ^ B B", ab) == "0100");  // (A ^ B) B
  CHECK(bits("(A ^ B)' A", ab) == "0001");
  CHECK(bits("!!A'", ab) == "1100");
  CHECK(bits("1", ab) == "1111");
  CHECK(bits("0 + A", ab) == "0011");
  CHECK(bits("D[1] D[0]", {"D[1]", "D[0]"}) == "0001");
  for (const char* wrong : {"", "A B)", "(A", "A +", "C", "A # B", "!", "A | | B"}) {
    CASE(wrong);
    CHECK_AT(wrong, bits(wrong, ab) == "none");
  }
  CHECK(bits(std::string(1000, '(') + "A" + std::string(1000, ')'), ab) == "none");
  CHECK(bits("A", {"A", "B", "C", "D", "E", "F", "G"}) == "none");
}
