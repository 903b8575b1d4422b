#include <cmath>

#include "axelram/files/sha256.hpp"
#include "files/support.hpp"
#include "sram_files.hpp"
#include "support.hpp"

namespace axelram::report {
namespace {

using test::contains;

constexpr const char* kLines[] = {
    "key_store_tiles",     "key_store_area",    "key_store_read_energy", "key_store_write_energy",
    "key_store_read_time", "key_store_leakage", "query_read_energy"};

/// Points of 64 bits: 10, 20 and 160 pJ for 1024, 4096 and 32768 words; an area for two, a write
/// for one.
constexpr const char* kPoints =
    "a: {node: 45, voltage: 0.9, words: 1024, bits: 64, ports: 1rw, read: 10, area: 0.1, "
    "source: A}\n"
    "b: {node: 45, voltage: 0.9, words: 4096, bits: 64, ports: 1rw, read: 20, write: 30, "
    "area: 0.8, source: A}\n"
    "c: {node: 45, voltage: 0.9, words: 32768, bits: 64, ports: 1r1w, read: 160, source: C}\n";

/// Reports of configurations in a folder with a memory and a table.
class SiliconReports {
 public:
  SiliconReports() {
    put("m.lib", test::kSramLiberty);
    put("m.lef", test::kSramLef);
    put("t.yaml", kPoints);
  }
  void put(const std::string& name, const std::string& text) const {
    test::put(folder_ / name, text);
  }
  std::vector<Line> operator()(const std::string& yaml) const {
    return report(files::parse_config(yaml, "x.yaml", folder_.path()), {});
  }

 private:
  test::TemporaryFolder folder_;
};

double value(const std::vector<Line>& lines, const std::string& name) {
  const Line& found = line_of(lines, name);
  REQUIRE_MESSAGE(found.method == Method::estimated, found.note);
  const auto* whole = std::get_if<std::uint64_t>(&found.value);
  return whole ? static_cast<double>(*whole) : std::get<double>(found.value);
}

/// 32 elements of 3 bits and a norm: 112 bits, 14 tiles of 8; 40 words, 3 tiles of 16.
std::string small(const std::string& memory, const std::string& more = "") {
  return "macro: {head_dim: 32, max_keys: 40}\n" + more + "memory: {" + memory + "}";
}
const std::string kMacro = "model: liberty, liberty: m.lib";

}  // namespace

TEST_CASE("without a source the key store has no figures") {
  const auto lines = SiliconReports()("{}");
  for (const char* name : kLines) {
    CASE(name);
    CHECK(line_of(lines, name).method == Method::not_available);
    CHECK(line_of(lines, name).note == "sram.model is none");
    CHECK(line_of(lines, name).section == "key store in silicon");
  }
}

TEST_CASE("a macro is tiled to the record and to max_keys") {
  const SiliconReports reports;
  const auto lines = reports(small(kMacro));
  CHECK(value(lines, "key_store_tiles") == 14 * 3);
  CHECK(value(lines, "key_store_area") == near(42 * 0.001, 1e-9));
  CHECK(value(lines, "key_store_read_energy") == near(14 * 5, 1e-9));
  CHECK(value(lines, "key_store_write_energy") == near(14 * 7, 1e-9));
  CHECK(value(lines, "key_store_read_time") == near(2.5, 1e-9));
  CHECK(value(lines, "key_store_leakage") == near(42 * 2, 1e-9));
  CHECK(value(lines, "query_read_energy") == near(40 * 70e-3, 1e-9));

  const auto deeper = reports(test::replaced(small(kMacro), "max_keys: 40", "max_keys: 49"));
  CHECK(value(deeper, "key_store_tiles") == 14 * 4);
  CHECK(value(deeper, "key_store_area") == near(56 * 0.001, 1e-9));
  CHECK(value(deeper, "key_store_leakage") == near(56 * 2, 1e-9));
  CHECK(value(deeper, "key_store_read_energy") == near(70, 1e-9));
  CHECK(value(deeper, "query_read_energy") == near(49 * 70e-3, 1e-9));

  const auto wider =
      reports(test::replaced(small(kMacro), "head_dim: 32", "head_dim: 32, index_bits: 4"));
  CHECK(value(wider, "key_store_tiles") == 18 * 3);
  CHECK(value(wider, "key_store_write_energy") == near(18 * 7, 1e-9));
}

TEST_CASE("stored bits decide: a code widens the record") {
  const SiliconReports reports;
  const auto coded = reports(small(kMacro, "ecc: {code: hamming84}\n"));
  CHECK(value(coded, "key_store_tiles") == 28 * 3);
  CHECK(value(coded, "key_store_read_energy") == near(28 * 5, 1e-9));
  CHECK(value(coded, "query_read_energy") == near(40 * 28 * 5e-3, 1e-9));
}

TEST_CASE("a query does not read the records of exact tokens, unless the memory has a code") {
  const SiliconReports reports;
  const std::string exact = "quantizer: {scale: unbiased}\nexact: {first: 4, last: 6}\n";
  const auto lines = reports(small(kMacro, exact));
  CHECK(value(lines, "query_read_energy") == near(30 * 70e-3, 1e-9));
  CHECK(contains(line_of(lines, "query_read_energy").note, "30 reads of a record"));
  const auto coded = reports(small(kMacro, exact + "ecc: {code: hamming84}\n"));
  CHECK(value(coded, "query_read_energy") == near(40 * 140e-3, 1e-9));
}

TEST_CASE("the files of a macro decide on its lines, and each is named") {
  const SiliconReports reports;
  const std::string with_lef = small(kMacro + ", lef: m.lef, node: 65");
  CHECK(value(reports(with_lef), "key_store_area") == near(42 * 0.002, 1e-9));
  for (const char* name : kLines) {
    CASE(name);
    const std::string note = line_of(reports(with_lef), name).note;
    CASE(note);
    CHECK(contains(note, files::provenance_of("m.lib", test::kSramLiberty)));
    CHECK(contains(note, files::provenance_of("m.lef", test::kSramLef)));
    CHECK(contains(note, "typical, 1.1 V, 85 C"));
    CHECK(contains(note, "65 nm"));
  }
  CHECK(value(reports(small(kMacro + ", load: 5, slew: 10")), "key_store_read_time") == 1);
  CHECK(value(reports(small(kMacro + ", read_when: csb1")), "key_store_read_energy") ==
        near(14 * 1.5, 1e-9));
  CHECK(value(reports(small(kMacro + ", write_when: csb0&web0")), "key_store_write_energy") ==
        near(14 * 2, 1e-9));
  reports.put("m.lib", test::replaced(test::kSramLiberty, "0.002", "0.005"));
  CHECK(value(reports(small(kMacro)), "key_store_leakage") == near(42 * 5, 1e-9));
}

TEST_CASE("a library of zeros gives no figure") {
  const SiliconReports reports;
  std::string zeros = test::replaced(test::kSramLiberty, "area : 1000", "area : 0");
  zeros = test::replaced(zeros, "0.002", "0.0");
  for (const char* table : {"\"4\"", "\"3\"", "\"3\"", "\"2\"", "\"1, 1\", \"1, 1\"",
                            "\"1, 2\",\\\n                   \"3, 4\""}) {
    CASE(table);
    zeros = test::replaced(zeros, table, contains(table, ",") ? "\"0,0,0,0\"" : "\"0\"");
  }
  reports.put("m.lib", zeros);
  const auto lines = reports(small(kMacro));
  for (const char* name : kLines) {
    if (name == std::string("key_store_tiles")) continue;  // counted from its words and bits
    CASE(name);
    CHECK(line_of(lines, name).method == Method::not_available);
    CHECK(std::holds_alternative<std::monostate>(line_of(lines, name).value));
    CHECK(contains(line_of(lines, name).note, "not given: "));
  }
}

TEST_CASE("between published points a figure is a line in the logarithms") {
  const SiliconReports reports;
  const auto at = [&](int words) {
    return reports("macro: {head_dim: 32, max_keys: " + std::to_string(words) +
                   "}\nsram: {model: table, file: t.yaml}");
  };
  // 112 bits: two arrays of 64.
  CHECK(value(at(4096), "key_store_tiles") == 2);
  CHECK(value(at(4096), "key_store_read_energy") == near(2 * 20, 1e-9));
  CHECK(value(at(4096), "query_read_energy") == near(4096 * 40e-3, 1e-9));
  CHECK(value(at(2048), "key_store_read_energy") == near(2 * 10 * std::sqrt(2), 1e-9));
  CHECK(value(at(8192), "key_store_read_energy") == near(2 * 20 * 2, 1e-9));
  CHECK(value(at(2048), "key_store_area") == near(2 * 0.1 * std::sqrt(8), 1e-9));
  CHECK(contains(line_of(at(2048), "key_store_read_energy").note, "interpolated between a and b"));
  CHECK(contains(line_of(at(4096), "key_store_read_energy").note,
                 "bits, b; A, 45 nm, 0.9 V, t.yaml"));
  CHECK(contains(line_of(at(8192), "key_store_read_energy").note, "; A and C, 45 nm"));

  // Beyond the points the last line goes on: 160 * 2, 10 / sqrt(2), and 0.8 * 2^1.5.
  CHECK(value(at(65536), "key_store_read_energy") == near(2 * 320, 1e-9));
  CHECK(contains(line_of(at(65536), "key_store_read_energy").note,
                 "extrapolated from b and c: 2 times the words of c"));
  CHECK(value(at(256), "key_store_read_energy") == near(2 * 5, 1e-9));
  CHECK(contains(line_of(at(256), "key_store_read_energy").note,
                 "extrapolated from a and b: 1/4 times the words of a"));
  CHECK(value(at(8192), "key_store_area") == near(2 * 0.8 * std::sqrt(8), 1e-9));

  // One point, and none.
  CHECK(value(at(4096), "key_store_write_energy") == near(2 * 30, 1e-9));
  CHECK(line_of(at(2048), "key_store_write_energy").method == Method::not_available);
  CHECK(contains(line_of(at(2048), "key_store_write_energy").note,
                 "given by b alone, for 4096 words"));
  CHECK(line_of(at(4096), "key_store_leakage").method == Method::not_available);
  CHECK(contains(line_of(at(4096), "key_store_leakage").note, "not given by a point"));

  // The ports of a point that is used.
  CHECK(contains(line_of(at(2048), "key_store_read_energy").note,
                 "1rw in place of a read port and a write port"));
  reports.put("t.yaml", test::replaced_all(kPoints, "ports: 1rw,", "ports: 1rw1r,"));
  CHECK(!contains(line_of(at(2048), "key_store_read_energy").note, "in place of"));
}

TEST_CASE("the paper's key store by the published caches: seven of 32 KB") {
  const auto lines =
      report(files::parse_config("sram: {model: table, node: 45}", "x.yaml", "."), {});
  CHECK(value(lines, "key_store_tiles") == 7);
  CHECK(value(lines, "key_store_read_energy") == near(140, 1e-9));
  CHECK(value(lines, "query_read_energy") == near(573.44, 1e-9));
  CHECK(
      contains(line_of(lines, "key_store_read_energy").note, "Horowitz, ISSCC 2014, figure 1.1.9"));
  CHECK(contains(line_of(lines, "key_store_read_energy").note, "ports not stated"));
}

}  // namespace axelram::report
