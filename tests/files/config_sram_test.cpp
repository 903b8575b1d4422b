#include "axelram/files/config.hpp"
#include "axelram/files/notes.hpp"
#include "axelram/files/sha256.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

/// A folder with a Liberty and a LEF file, an output of OpenRAM in two corners, and a table.
struct SramFolder {
  SramFolder() {
    test::put(folder / "m.lib", test::kSramLiberty);
    test::put(folder / "m.lef", test::kSramLef);
    std::filesystem::create_directory(folder / "ram");
    test::put(folder / "ram/small_TT_1p1V_25C.lib", test::kSramLiberty);
    test::put(folder / "ram/small_SS_1p0V_125C.lib", test::kSramLiberty);
    test::put(folder / "ram/small.lef", test::kSramLef);
    test::put(folder / "ram/small.py", "word_size = 8\nnum_words = 12 # and a spare row\n");
    test::put(folder / "t.yaml",
              "p: {node: 7, voltage: 0.7, words: 8, bits: 8, ports: 1rw, read: 2, source: S}\n");
  }
  Config parse(const std::string& text) const {
    return parse_config(text, "x.yaml", folder.path());
  }
  SramMacro macro(const std::string& text) const {
    return std::get<SramMacro>(parse(text).sram_source);
  }
  std::string message(const std::string& text) const {
    return test::message([&] { parse(text); });
  }
  test::TemporaryFolder folder;
};

const std::string kLiberty = "sram: {model: liberty, liberty: m.lib}";
const std::string kOpenRam = "sram: {model: openram, folder: ram, corner: TT_1p1V_25C}";

}  // namespace

TEST_CASE("a configuration names the source of its SRAM's figures") {
  const SramFolder files;
  CHECK(std::holds_alternative<std::monostate>(files.parse("{}").sram_source));
  CHECK(std::holds_alternative<std::monostate>(files.parse("sram: {model: none}").sram_source));

  const Config table = files.parse("sram: {model: table, file: t.yaml}");
  const auto& points = std::get<PublishedTable>(table.sram_source);
  CHECK(points.points.size() == 1);
  CHECK(points.source == provenance_of("t.yaml", test::content(files.folder / "t.yaml")));
  const Config shipped = files.parse("sram: {model: table, node: 45}");
  CHECK(std::get<PublishedTable>(shipped.sram_source).points.size() == 3);
  CHECK(contains(std::get<PublishedTable>(shipped.sram_source).source, "published.yaml (sha256 "));

  const SramMacro plain = files.macro(kLiberty);
  CHECK(plain.source == provenance_of("m.lib", test::kSramLiberty));
  CHECK(*plain.area.value == doctest::Approx(1000e-6));
  CHECK(*plain.read.value == 5);
  const SramMacro with_lef =
      files.macro("sram: {model: liberty, liberty: m.lib, lef: m.lef, load: 5, slew: 10}");
  CHECK(*with_lef.area.value == doctest::Approx(2000e-6));
  CHECK(*with_lef.access.value == doctest::Approx(1));
  CHECK(contains(with_lef.source, "m.lib (sha256 "));
  CHECK(contains(with_lef.source, provenance_of("m.lef", test::kSramLef)));
}

TEST_CASE("an output of OpenRAM: corner, area, words of its configuration") {
  const SramFolder files;
  const SramMacro macro = files.macro(kOpenRam);
  CHECK(macro.corner == "TT_1p1V_25C");
  CHECK(macro.words == 12);
  CHECK(*macro.read.value == 10);
  CHECK(*macro.area.value == doctest::Approx(2000e-6));
  CHECK(contains(macro.source, "small_TT_1p1V_25C.lib (sha256 "));
  CHECK(contains(macro.source, "small.lef (sha256 "));

  CHECK(contains(files.message("sram: {model: openram, folder: ram}"),
                 "several corners; sram.corner must be SS_1p0V_125C or TT_1p1V_25C"));
  CHECK(contains(files.message("sram: {model: openram, folder: ram, corner: FF}"),
                 "ram: no corner 'FF'; sram.corner must be SS_1p0V_125C or TT_1p1V_25C"));
  test::put(files.folder / "ram/small.py", "\nnum_words = 17\n");
  CHECK(contains(files.message(kOpenRam),
                 "ram/small.py:2: num_words is '17'; it must be a number "
                 "up to the 16 words"));
  std::filesystem::remove(files.folder / "ram/small.py");
  std::filesystem::remove(files.folder / "ram/small.lef");
  CHECK(files.macro(kOpenRam).words == 16);
  CHECK(*files.macro(kOpenRam).area.value == doctest::Approx(1000e-6));
  std::filesystem::remove(files.folder / "ram/small_SS_1p0V_125C.lib");
  CHECK(files.macro("sram: {model: openram, folder: ram}").corner == "TT_1p1V_25C");
  test::put(files.folder / "ram/large_TT_1p1V_25C.lib", test::kSramLiberty);
  CHECK(contains(files.message(kOpenRam), "SRAMs large and small; give each its own folder"));
  CHECK(contains(files.message("sram: {model: openram, folder: .}"), "no file such as NAME_TT"));
  CHECK(contains(files.message("sram: {model: openram, folder: none}"), "x.yaml:1: folder: "));
}

TEST_CASE("a missing or broken file of an SRAM is an error with both lines") {
  const SramFolder files;
  CHECK(files.message("macro: {}\nsram:\n  model: liberty\n  liberty: n.lib") ==
        "x.yaml:4: liberty: " + files.folder / "n.lib" + ": no such file; check the path");
  CHECK(contains(files.message("sram: {model: liberty, liberty: m.lib, lef: n.lef}"),
                 "n.lef: no such file"));
  CHECK(contains(files.message("sram: {model: table, file: n.yaml}"), "x.yaml:1: file: "));
  test::put(files.folder / "m.lib", test::replaced(test::kSramLiberty, "area :", "area"));
  CHECK(contains(files.message(kLiberty), "x.yaml:1: liberty: " + files.folder / "m.lib:27: "));
  test::put(files.folder / "m.lib", test::kSramLiberty);
  test::put(files.folder / "m.lef", test::replaced(test::kSramLef, "50 BY", "x BY"));
  const std::string both = "sram: {model: liberty, liberty: m.lib, lef: m.lef}";
  CHECK(contains(files.message(both), files.folder / "m.lef:10: SIZE has 'x'"));
  test::put(files.folder / "m.lef", test::replaced_all(test::kSramLef, "small", "large"));
  CHECK(contains(files.message(both), "m.lef:5: no MACRO 'small', the cell of the Liberty file"));
  test::put(files.folder / "m.lef", test::replaced(test::kSramLef, "SIZE 50 BY 40.0 ;", ""));
  CHECK(contains(files.macro(both).area.note, "not given: SIZE of the LEF file is 0 or missing"));
  test::put(files.folder / "t.yaml", "p: {node: 7}");
  CHECK(contains(files.message("sram: {model: table, file: t.yaml}"),
                 "x.yaml:1: file: " + files.folder / "t.yaml:1: p has no bits; give it"));
}

TEST_CASE("keys that a model does not read are errors, and those that it needs") {
  const SramFolder files;
  for (const char* key : {"file: t.yaml", "node: 45", "liberty: m.lib", "lef: m.lef", "folder: ram",
                          "corner: TT", "load: 5", "slew: 5", "read_when: a", "write_when: a"}) {
    CASE(key);
    const std::string got = files.message(std::string("sram:\n  ") + key);
    CHECK(contains(got, "x.yaml:2: "));
    CHECK(contains(got, "the model is none; the key needs sram: {model: "));
  }
  CHECK(contains(files.message("sram: {model: table, file: t.yaml, load: 5}"),
                 "load is 5, but the model is table; the key needs sram: {model: liberty}"));
  CHECK(files.message("sram: {load: 10, slew: 20}").empty());  // the defaults
  CHECK(contains(files.message("sram: {model: liberty}"),
                 "x.yaml:1: sram has no liberty; the model liberty needs it"));
  CHECK(contains(files.message("sram: {model: openram}"), "sram has no folder"));
  CHECK(contains(files.message("sram: {model: cache}"), "it must be none, table, liberty or"));
  CHECK(contains(files.message("sram: {model: openram, folder: ram, corner: ''}"),
                 "it must be a text; otherwise leave the key out"));
  CHECK(contains(files.message("sram: {model: liberty, liberty: m.lib, load: 0}"),
                 "load is 0; it must lie in 1..10000"));
}

TEST_CASE("canonical YAML has the keys that the model reads, and none without one") {
  const SramFolder files;
  CHECK(!contains(canonical_yaml(files.parse("sram: {model: none}")), "sram"));
  for (const std::string& text :
       {kLiberty, kOpenRam, std::string("sram: {model: table, file: t.yaml, node: 7}"),
        std::string("sram: {model: liberty, liberty: m.lib, lef: m.lef, node: 65, load: 5, "
                    "slew: 7, read_when: \"!csb1\", write_when: \"!csb0 & !web0\"}")}) {
    CASE(text);
    const std::string canonical = canonical_yaml(files.parse(text));
    CHECK(canonical_yaml(files.parse(canonical)) == canonical);
  }
  CHECK(contains(canonical_yaml(files.parse(kLiberty)),
                 "sram: {model: liberty, liberty: \"m.lib\", load: 10, slew: 20}\n"));
}

TEST_CASE("keys of section sram in section memory: read, and one note has their new names") {
  const SramFolder files;
  std::vector<std::string> notes;
  const NoteReceiver before =
      receive_notes([&](const std::string& line) { notes.push_back(line); });
  const auto read = [&](const std::string& text) {
    notes.clear();
    return canonical_yaml(files.parse(text));
  };
  CHECK(read(kLiberty) == canonical_yaml(files.parse(kLiberty)));
  CHECK(notes.empty());

  CHECK(read("macro: {}\nmemory:\n  liberty: m.lib\n  model: liberty\n") ==
        canonical_yaml(files.parse(kLiberty)));
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "x.yaml:2: memory.liberty, memory.model are now sram.liberty, sram.model");
  CHECK(read("memory: {model: none}") == canonical_yaml(files.parse("")));
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "x.yaml:1: memory.model is now sram.model");

  // Beside slots of a bounded memory.
  const std::string slots = "memory: {window: 64, exact: 8, summary: 8}\n";
  const std::string mixed = "memory: {window: 64, model: table, exact: 8, node: 45, summary: 8}\n";
  CHECK(read(mixed) == read(slots + "sram: {model: table, node: 45}"));
  CHECK(files.parse(mixed).bounded_memory.given);
  CHECK_FALSE(files.parse("memory: {model: table, node: 45}").bounded_memory.given);

  // JSON, and a key that the model does not read.
  CHECK(read("{\"memory\": {\"model\": \"table\", \"node\": 45}}") ==
        read("sram: {model: table, node: 45}"));
  CHECK(files.message("memory: {model: table, load: 5}") ==
        "x.yaml:1: load is 5, but the model is table; the key needs sram: {model: liberty}");
  receive_notes(before);
}

TEST_CASE("keys of section sram in both sections are an error with both lines") {
  const SramFolder files;
  CHECK(files.message("sram: {model: none}\nmemory: {model: table}") ==
        "x.yaml:2: memory.model is now sram.model; line 1 sets that already, keep one");
  CHECK(files.message("memory: {load: 5}\nsram:\n  model: liberty\n  liberty: m.lib") ==
        "x.yaml:1: memory.load is now sram.load; write it in section sram, line 2");
  CHECK(contains(files.message("sram: {window: 64}"),
                 "unknown key 'window' in section sram; it belongs to section memory"));
  CHECK(contains(files.message("model: table"), "'model' is a key of section sram; write sram: "));
}
