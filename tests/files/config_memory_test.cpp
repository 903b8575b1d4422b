#include "axelram/files/config.hpp"
#include "axelram/files/sha256.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

/// A folder with a Liberty and a LEF file, an output of OpenRAM in two corners, and a table.
struct MemoryFolder {
  MemoryFolder() {
    test::put(folder / "m.lib", test::kMemoryLiberty);
    test::put(folder / "m.lef", test::kMemoryLef);
    std::filesystem::create_directory(folder / "ram");
    test::put(folder / "ram/small_TT_1p1V_25C.lib", test::kMemoryLiberty);
    test::put(folder / "ram/small_SS_1p0V_125C.lib", test::kMemoryLiberty);
    test::put(folder / "ram/small.lef", test::kMemoryLef);
    test::put(folder / "ram/small.py", "word_size = 8\nnum_words = 12 # and a spare row\n");
    test::put(folder / "t.yaml",
              "p: {node: 7, voltage: 0.7, words: 8, bits: 8, ports: 1rw, read: 2, source: S}\n");
  }
  Config parse(const std::string& text) const {
    return parse_config(text, "x.yaml", folder.path());
  }
  MemoryMacro macro(const std::string& text) const {
    return std::get<MemoryMacro>(parse(text).memory_source);
  }
  std::string message(const std::string& text) const {
    return test::message([&] { parse(text); });
  }
  test::TemporaryFolder folder;
};

const std::string kLiberty = "memory: {model: liberty, liberty: m.lib}";
const std::string kOpenRam = "memory: {model: openram, folder: ram, corner: TT_1p1V_25C}";

}  // namespace

TEST_CASE("a configuration names the source of its memory's figures") {
  const MemoryFolder files;
  CHECK(std::holds_alternative<std::monostate>(files.parse("{}").memory_source));
  CHECK(std::holds_alternative<std::monostate>(files.parse("memory: {model: none}").memory_source));

  const Config table = files.parse("memory: {model: table, file: t.yaml}");
  const auto& points = std::get<PublishedTable>(table.memory_source);
  CHECK(points.points.size() == 1);
  CHECK(points.source == provenance_of("t.yaml", test::content(files.folder / "t.yaml")));
  const Config shipped = files.parse("memory: {model: table, node: 45}");
  CHECK(std::get<PublishedTable>(shipped.memory_source).points.size() == 3);
  CHECK(
      contains(std::get<PublishedTable>(shipped.memory_source).source, "published.yaml (sha256 "));

  const MemoryMacro plain = files.macro(kLiberty);
  CHECK(plain.source == provenance_of("m.lib", test::kMemoryLiberty));
  CHECK(*plain.area.value == doctest::Approx(1000e-6));
  CHECK(*plain.read.value == 5);
  const MemoryMacro with_lef =
      files.macro("memory: {model: liberty, liberty: m.lib, lef: m.lef, load: 5, slew: 10}");
  CHECK(*with_lef.area.value == doctest::Approx(2000e-6));
  CHECK(*with_lef.access.value == doctest::Approx(1));
  CHECK(contains(with_lef.source, "m.lib (sha256 "));
  CHECK(contains(with_lef.source, provenance_of("m.lef", test::kMemoryLef)));
}

TEST_CASE("an output of OpenRAM: corner, area, words of its configuration") {
  const MemoryFolder files;
  const MemoryMacro macro = files.macro(kOpenRam);
  CHECK(macro.corner == "TT_1p1V_25C");
  CHECK(macro.words == 12);
  CHECK(*macro.read.value == 10);
  CHECK(*macro.area.value == doctest::Approx(2000e-6));
  CHECK(contains(macro.source, "small_TT_1p1V_25C.lib (sha256 "));
  CHECK(contains(macro.source, "small.lef (sha256 "));

  CHECK(contains(files.message("memory: {model: openram, folder: ram}"),
                 "several corners; memory.corner must be SS_1p0V_125C or TT_1p1V_25C"));
  CHECK(contains(files.message("memory: {model: openram, folder: ram, corner: FF}"),
                 "ram: no corner 'FF'; memory.corner must be SS_1p0V_125C or TT_1p1V_25C"));
  test::put(files.folder / "ram/small.py", "\nnum_words = 17\n");
  CHECK(contains(files.message(kOpenRam),
                 "ram/small.py:2: num_words is '17'; it must be a number "
                 "up to the 16 words"));
  std::filesystem::remove(files.folder / "ram/small.py");
  std::filesystem::remove(files.folder / "ram/small.lef");
  CHECK(files.macro(kOpenRam).words == 16);
  CHECK(*files.macro(kOpenRam).area.value == doctest::Approx(1000e-6));
  std::filesystem::remove(files.folder / "ram/small_SS_1p0V_125C.lib");
  CHECK(files.macro("memory: {model: openram, folder: ram}").corner == "TT_1p1V_25C");
  test::put(files.folder / "ram/large_TT_1p1V_25C.lib", test::kMemoryLiberty);
  CHECK(contains(files.message(kOpenRam), "memories large and small; give each its own folder"));
  CHECK(contains(files.message("memory: {model: openram, folder: .}"), "no file such as NAME_TT"));
  CHECK(contains(files.message("memory: {model: openram, folder: none}"), "x.yaml:1: folder: "));
}

TEST_CASE("a missing or broken file of a memory is an error with both lines") {
  const MemoryFolder files;
  CHECK(files.message("macro: {}\nmemory:\n  model: liberty\n  liberty: n.lib") ==
        "x.yaml:4: liberty: " + files.folder / "n.lib" + ": no such file; check the path");
  CHECK(contains(files.message("memory: {model: liberty, liberty: m.lib, lef: n.lef}"),
                 "n.lef: no such file"));
  CHECK(contains(files.message("memory: {model: table, file: n.yaml}"), "x.yaml:1: file: "));
  test::put(files.folder / "m.lib", test::replaced(test::kMemoryLiberty, "area :", "area"));
  CHECK(contains(files.message(kLiberty), "x.yaml:1: liberty: " + files.folder / "m.lib:27: "));
  test::put(files.folder / "m.lib", test::kMemoryLiberty);
  test::put(files.folder / "m.lef", test::replaced(test::kMemoryLef, "50 BY", "x BY"));
  const std::string both = "memory: {model: liberty, liberty: m.lib, lef: m.lef}";
  CHECK(contains(files.message(both), files.folder / "m.lef:10: SIZE has 'x'"));
  test::put(files.folder / "m.lef", test::replaced_all(test::kMemoryLef, "small", "large"));
  CHECK(contains(files.message(both), "m.lef:5: no MACRO 'small', the cell of the Liberty file"));
  test::put(files.folder / "m.lef", test::replaced(test::kMemoryLef, "SIZE 50 BY 40.0 ;", ""));
  CHECK(contains(files.macro(both).area.note, "not given: SIZE of the LEF file is 0 or missing"));
  test::put(files.folder / "t.yaml", "p: {node: 7}");
  CHECK(contains(files.message("memory: {model: table, file: t.yaml}"),
                 "x.yaml:1: file: " + files.folder / "t.yaml:1: p has no bits; give it"));
}

TEST_CASE("keys that a model does not read are errors, and those that it needs") {
  const MemoryFolder files;
  for (const char* key : {"file: t.yaml", "node: 45", "liberty: m.lib", "lef: m.lef", "folder: ram",
                          "corner: TT", "load: 10", "slew: 20", "read_when: a", "write_when: a"}) {
    CAPTURE(key);
    const std::string got = files.message(std::string("memory:\n  ") + key);
    CHECK(contains(got, "x.yaml:2: "));
    CHECK(contains(got, "the model is none; the key needs memory: {model: "));
  }
  CHECK(contains(files.message("memory: {model: table, file: t.yaml, load: 5}"),
                 "load is 5; the model is table; the key needs memory: {model: liberty}"));
  CHECK(contains(files.message("memory: {model: liberty}"),
                 "x.yaml:1: memory has no liberty; the model liberty needs it"));
  CHECK(contains(files.message("memory: {model: openram}"), "memory has no folder"));
  CHECK(contains(files.message("memory: {model: sram}"), "it must be none, table, liberty or"));
  CHECK(contains(files.message("memory: {model: openram, folder: ram, corner: ''}"),
                 "it must be a text; otherwise leave the key out"));
  CHECK(contains(files.message("memory: {model: liberty, liberty: m.lib, load: 0}"),
                 "load is 0; it must lie in 1..10000"));
}

TEST_CASE("canonical YAML has the keys that the model reads, and none without one") {
  const MemoryFolder files;
  CHECK(!contains(canonical_yaml(files.parse("memory: {model: none}")), "memory"));
  for (const std::string& text :
       {kLiberty, kOpenRam, std::string("memory: {model: table, file: t.yaml, node: 7}"),
        std::string("memory: {model: liberty, liberty: m.lib, lef: m.lef, node: 65, load: 5, "
                    "slew: 7, read_when: \"!csb1\", write_when: \"!csb0 & !web0\"}")}) {
    CAPTURE(text);
    const std::string canonical = canonical_yaml(files.parse(text));
    CHECK(canonical_yaml(files.parse(canonical)) == canonical);
  }
  CHECK(contains(canonical_yaml(files.parse(kLiberty)),
                 "memory: {model: liberty, liberty: \"m.lib\", load: 10, slew: 20}\n"));
}
