#include "axelram/report/cells.hpp"

#include <map>

#include "support.hpp"

using namespace axelram::report;

namespace {

/// Two instances of a module that has one of the same name inside, under a top.
MappedDesign small_design() {
  MappedDesign design;
  design.top = "m_top";
  design.period = 6;
  design.recovery = 1.5;
  design.tools = "Yosys 1, OpenSTA 2";
  design.rtl = "sha256 0";
  design.library.source = "x.lib";
  design.library.corner = "typical";
  design.library.areas = {{"NAND", 2}, {"FF", 8}, {"BUF", 3}, {"LATCH", 5}};
  design.library.flip_flops = {{"FF", "CK"}};
  design.library.latches = {{"LATCH", "G"}};
  design.library.nand2 = "NAND";
  design.modules["m_top"] = {
      "m_top", {{"NAND", 1}}, 0, {{"outer", 2}, {"rom", 1}}, CellPath{5, 7, "a", "b"}};
  design.modules["outer"] = {
      "axelram_delay", {{"NAND", 2}, {"BUF", 1}}, 1, {{"inner", 3}}, CellPath{2, 3, "c", "d"}};
  design.modules["inner"] = {"axelram_delay", {{"FF", 4}}, 0, {}, CellPath{3, 1, "e", "f"}};
  design.modules["rom"] = {"m_sign_rom", {{"NAND", 5}}, 0, {}, {}};
  for (auto& [name, module] : design.modules) module.idle_power = module.cells.empty() ? 0 : 1e-3;
  design.modules["rom"].idle_power = 0;
  return design;
}

std::map<std::string, Line> lines_of(const MappedDesign& design) {
  std::vector<Line> lines;
  add_cells(&design, &lines);
  return by_name(lines);
}

std::uint64_t whole(const Line& line) { return std::get<std::uint64_t>(line.value); }
double real(const Line& line) { return std::get<double>(line.value); }

}  // namespace

TEST_CASE("cells of modules: instances count, and those within their like once") {
  auto lines = lines_of(small_design());
  // Of an outer module: 2 NAND, 1 BUF and 3 times 4 FF.
  CHECK(whole(lines["cells"]) == 1 + 2 * 15 + 5);
  CHECK(whole(lines["flip_flops_of_library"]) == 24);
  CHECK(real(lines["area"]) == 2 + 2 * (4 + 3 + 96) + 10);
  CHECK(whole(lines["nand2_equivalents"]) == 109);
  // An outer module has its own power and that of three inner ones.
  CHECK(real(lines["idle_power"]) == doctest::Approx(1 + 2 * 4));
  CHECK(real(lines["delay_idle_power"]) == doctest::Approx(8));
  CHECK(lines["delay_idle_power"].method == Method::estimated);
  CHECK(lines["sign_rom_idle_power"].method == Method::not_available);
  CHECK(whole(lines["delay_instances"]) == 2 + 6);
  CHECK(whole(lines["delay_cells"]) == 30);
  CHECK(real(lines["delay_area"]) == 206);
  CHECK(real(lines["delay_own_area"]) == 206);
  // What modules have themselves is the whole, but for the NAND of the top.
  CHECK(real(lines["delay_own_area"]) + real(lines["sign_rom_own_area"]) + 2 ==
        real(lines["area"]));
  CHECK(whole(lines["sign_rom_cells"]) == 5);
  CHECK(lines["delay_cells"].note == "2 of them buffers in trees");
  CHECK(lines["delay_cells"].subject == "delay");
  CHECK(lines["delay_cells"].method == Method::measured);
  REQUIRE(lines["delay_cells"].provenance.has_value());
  CHECK(lines["delay_cells"].provenance->library == "x.lib");
  CHECK(lines["delay_cells"].provenance->rtl == "sha256 0");
}

TEST_CASE("idle power behind a clock gate is leakage, at every depth") {
  MappedDesign design = small_design();
  // The gate is beside the modules "inner" of each "outer", and has a clock itself.
  design.modules["clock"] = {"axelram_pipeline_clock", {{"FF", 1}}, 0, {}, {}};
  design.modules["clock"].idle_power = 1e-3;
  design.modules["outer"].inner["clock"] = 1;
  design.modules["inner"].leakage_power = 1e-5;
  auto lines = lines_of(design);
  CHECK(real(lines["idle_power"]) == doctest::Approx(1 + 2 * (1 + 1 + 3 * 0.01)));
  CHECK(real(lines["pipeline_clock_idle_power"]) == doctest::Approx(2));
  CHECK(real(lines["delay_idle_power"]) == doctest::Approx(2 * (1 + 1 + 3 * 0.01)));
}

TEST_CASE("latches, and areas that are those of a LEF file") {
  MappedDesign design = small_design();
  CHECK(whole(lines_of(design)["latches_of_library"]) == 0);
  design.modules["inner"].cells = {{"FF", 1}, {"LATCH", 3}};
  design.library.sized = {"LATCH", "OTHER"};
  design.library.lef = "x.lef (sha256 1)";
  auto lines = lines_of(design);
  CHECK(whole(lines["flip_flops_of_library"]) == 6);
  CHECK(whole(lines["latches_of_library"]) == 18);
  CHECK(whole(lines["delay_latches_of_library"]) == 18);
  CHECK(whole(lines["sign_rom_latches_of_library"]) == 0);
  CHECK(real(lines["delay_area"]) == 2 * (4 + 3 + 3 * (8 + 15)));
  for (const char* name : {"area", "delay_area"})
    CHECK_AT(name, lines[name].note ==
                       "of the cells, without wires; of LATCH the SIZE in x.lef (sha256 1)");
  CHECK(lines["sign_rom_area"].note == "of the cells, without wires");
  // Without a LEF file the area of a latch is not given.
  design.library.areas.erase("LATCH");
  design.library.sized.clear();
  CHECK(lines_of(design)["area"].note == "not given: x.lib has no area of LATCH");
}

TEST_CASE("the longest path of modules of one name") {
  auto lines = lines_of(small_design());
  CHECK(real(lines["longest_path"]) == 5);
  CHECK(whole(lines["depth"]) == 7);
  CHECK(real(lines["slack"]) == 1);
  CHECK(real(lines["frequency"]) == 200);
  CHECK(real(lines["reset_path"]) == 1.5);
  CHECK(real(lines["delay_longest_path"]) == 3);
  CHECK(lines["delay_longest_path"].note == "e to f");
  CHECK(lines["sign_rom_longest_path"].method == Method::not_available);
}

TEST_CASE("a library without areas or delays gives none: no zero is a measurement") {
  MappedDesign design = small_design();
  design.library.areas.erase("FF");
  for (auto& [name, module] : design.modules)
    if (module.path) module.path->nanoseconds = 0;
  design.recovery = 0;
  auto lines = lines_of(design);
  for (const char* name :
       {"area", "nand2_equivalents", "longest_path", "slack", "frequency", "depth", "reset_path",
        "delay_area", "delay_frequency", "sign_rom_area"}) {
    CASE(name);
    CHECK(lines[name].method == Method::not_available);
    CHECK(std::holds_alternative<std::monostate>(lines[name].value));
    CHECK(!lines[name].note.empty());
    CHECK(!lines[name].provenance);
  }
  CHECK(lines["area"].note == "not given: x.lib has no area of FF");
  CHECK(whole(lines["cells"]) == 36);
  design.library.areas.erase("NAND");
  design.library.areas["FF"] = 8;
  CHECK(lines_of(design)["area"].note == "not given: x.lib has no area of NAND");
}

TEST_CASE("cells are n/a without a library") {
  std::vector<Line> lines;
  add_cells(nullptr, &lines);
  CHECK(lines.size() == 11);
  for (const Line& line : lines) {
    CASE(line.name);
    CHECK(line.method == Method::not_available);
    CHECK(line.note == "--liberty FILE measures it");
  }
  auto measured = lines_of(small_design());
  for (const Line& line : lines) CHECK_MESSAGE(measured.count(line.name) == 1, line.name);
}

TEST_CASE("figures of modules are a table, a row each") {
  const MappedDesign design = small_design();
  std::vector<Line> lines;
  add_cells(&design, &lines);
  const std::string text = axelram::report::text(lines);
  CHECK(text.find("  module    instances  cells  flip flops of library  latches of library  nand2 "
                  "equivalents  area, um^2  idle power, mW  "
                  "own area, um^2  "
                  "depth  longest path, ns  slack, ns  frequency, MHz\n"
                  "  delay             8     30                     24                   0         "
                  "       103         206               8  "
                  "           206      1                 3          3         333.333\n"
                  "  sign rom          1      5                      0                   0         "
                  "         5          10             n/a  "
                  "            10    n/a               n/a        n/a             n/a\n") !=
        std::string::npos);
  const std::string json = axelram::report::json(lines);
  CHECK(json.find("\"provenance\": {\n      \"tools\": \"Yosys 1, OpenSTA 2\"") !=
        std::string::npos);
}
