#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/memories.hpp"
#include "check.hpp"

namespace axelram::rtl {
namespace {

using Json = nlohmann::json;

files::Config config(const std::string& yaml) { return files::parse_config(yaml, "t.yaml", "."); }

/// Shapes of the memories, as WORDSxBITS with what they hold.
std::string shapes_of(const files::Config& config) {
  std::string text;
  for (const Memory& memory : memories(config, Layout(config)))
    text += (text.empty() ? "" : ", ") + memory.holds + memory.module("");
  return text;
}

std::string content(const std::vector<GeneratedFile>& files, const std::string& path) {
  for (const GeneratedFile& file : files)
    if (file.path == path) return file.text;
  FAIL("no " << path);
  return "";
}

std::set<std::string> views(const std::vector<GeneratedFile>& files) {
  std::set<std::string> paths;
  for (const GeneratedFile& file : files)
    if (file.path.rfind("views/", 0) == 0) paths.insert(file.path);
  return paths;
}

const char* const kBest =
    "macro: {head_dim: 32, index_bits: 2, max_keys: 16}\n"
    "quantizer: {kind: trellis, states: 4, scale: unbiased}\nexact: {first: 1, last: 2, bits: 12}\n"
    "microarchitecture: {key_lanes: 4, read_lanes: 4, table_multipliers: 4}\n";

}  // namespace

TEST_CASE("every memory of a macro has a row") {
  CHECK(shapes_of(config("{}")) == "records_sram_4096x400");
  CHECK(shapes_of(config("ecc: {code: golay24}")) == "records_sram_4096x816");
  CHECK(shapes_of(config("quantizer: {kind: prod}")) == "records_sram_4096x416");
  CHECK(shapes_of(config(kBest)) ==
        "records_sram_16x80, copies_sram_24x48, copy exponents_sram_3x12, survivors_sram_64x8");
  const files::Config split =
      files::read_config(std::string(AXELRAM_SOURCE) + "/configs/d32-split31-trellis-folded.yaml");
  CHECK(shapes_of(split) ==
        "records_sram_20x192, survivors_sram_32x12, survivors of sub-vector 1_sram_32x4");
  CHECK(memories(config("macro: {max_keys: 1}"), Layout(config("macro: {max_keys: 1}")))
            .front()
            .address_bits() == 1);
}

TEST_CASE("each shape has its stubs, and equal shapes share them") {
  const std::set<std::string> always = {"views/axelram.f", "views/axelram_sram_1r1w.sv",
                                        "views/config.mk", "views/memories.json"};
  for (const char* yaml : {"{}", "ecc: {code: hamming84}", kBest,
                           "macro: {head_dim: 32, max_keys: 64}\nquantizer: {kind: trellis}\n"}) {
    CASE(yaml);
    const files::Config c = config(yaml);
    const auto files = generate(c);
    std::set<std::string> expected = always;
    for (const Memory& memory : memories(c, Layout(c)))
      for (const char* extension : {".v", ".lib", ".lef"})
        expected.insert("views/" + memory.module("t") + extension);
    CHECK_SAME(views(files), expected);
    const Json manifest = Json::parse(content(files, "axelram.json"));
    std::set<std::string> named;
    for (const Json& memory : manifest["memories"])
      for (const Json& file : memory["files"]) named.insert(file.get<std::string>());
    for (const auto& [key, file] : manifest["views"].items()) named.insert(file.get<std::string>());
    CHECK_SAME(named, expected);
  }
  const std::vector<Memory> equal = {{"a", "x", 4, 8}, {"b", "y", 4, 8}, {"c", "z", 8, 4}};
  REQUIRE(shapes(equal).size() == 2);
  CHECK(shapes(equal)[0].holds == "a");
  CHECK(shapes(equal)[1].holds == "c");
}

TEST_CASE("the request names every instance, its shape and the period of the constraints") {
  const auto files = generate(config(kBest));
  const Json request = Json::parse(content(files, "views/memories.json"));
  std::set<std::string> held;
  for (const Json& sram : request["srams"]) {
    CASE(sram);
    for (const Json& instance : sram["instances"]) held.insert(instance["holds"]);
    CHECK(sram["read_latency_cycles"] == 1);
    CHECK(sram["write_mask"] == false);
    CHECK(content(files, "axelram.sdc").find("set period 6.0\n") != std::string::npos);
    CHECK(sram["wanted"][0]["at_most_ns"] == 6.0);
  }
  CHECK_SAME(held, std::set<std::string>{"records", "copies", "copy exponents", "survivors"});
}

TEST_CASE("stubs state no figure") {
  const std::regex figure(
      "\\b(area|capacitance|values|leakage|power|timing \\(|SIZE|RECT|LAYER|ORIGIN)|[0-9]\\.[0-9]");
  const std::regex comment(R"(/\*[^*]*\*/|#[^\n]*)");
  for (const GeneratedFile& file : generate(config(kBest))) {
    const std::string extension = std::filesystem::path(file.path).extension();
    if (extension != ".lib" && extension != ".lef") continue;
    CASE(file.path);
    std::string text = std::regex_replace(file.text, comment, "");
    text.erase(0, text.find("BUSBITCHARS") == std::string::npos ? 0 : text.find("BUSBITCHARS"));
    std::smatch found;
    CHECK_MESSAGE(!std::regex_search(text, found, figure), found.str());
  }
}

TEST_CASE("sources with SRAMs are those of the macro, the memory apart") {
  const auto files = generate(config(kBest));
  std::string list = content(files, "axelram.f");
  const std::string memory = "rtl/common/axelram_sram_1r1w.sv\n";
  const std::size_t at = list.find(memory);
  REQUIRE(at != std::string::npos);
  list.replace(at, memory.size(),
               "views/t_sram_16x80.v\nviews/t_sram_24x48.v\nviews/t_sram_3x12.v\n"
               "views/t_sram_64x8.v\nviews/axelram_sram_1r1w.sv\n");
  CHECK(content(files, "views/axelram.f") == list);
  const std::string flow = content(files, "views/config.mk");
  CHECK(flow.find("does not run it") != std::string::npos);
  CHECK(flow.find("export DESIGN_NAME = t_top\n") != std::string::npos);
}

TEST_CASE("stubs of an earlier configuration do not stay in the folder") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "axelram_stale_views";
  fs::remove_all(folder);
  write_generated(generate(config("macro: {max_keys: 64}")), folder.string(), false);
  CHECK(fs::exists(folder / "views/t_sram_64x400.lib"));
  write_generated(generate(config("macro: {max_keys: 32}")), folder.string(), true);
  CHECK_FALSE(fs::exists(folder / "views/t_sram_64x400.lib"));
  CHECK(fs::exists(folder / "views/t_sram_32x400.lib"));
  fs::remove_all(folder);
}

}  // namespace axelram::rtl
