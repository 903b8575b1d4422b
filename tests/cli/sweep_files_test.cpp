#include <filesystem>
#include <tuple>

#include "axelram/files/safetensors.hpp"
#include "sweep_support.hpp"

namespace {

namespace fs = std::filesystem;
using namespace test;

TEST_CASE("sweep: file names start at the folder of the sweep") {
  const TempDir axelram;
  fs::create_directories(axelram.at("deep/er"));
  const std::vector<std::int8_t> signs(32, -1);
  axelram::files::write_safetensors(
      axelram.at("deep/signs"),
      {axelram::files::view("signs", axelram::files::DataType::i8, {1, 1, 32}, signs)}, {}, false);
  fs::rename(axelram.at("trace.safetensors"), axelram.at("deep/trace"));
  axelram.put("deep/s.yaml",
              "base: ../small.yaml\ntrace: trace\ngrid: {rotation.signs: [signs, none]}\n");
  for (const auto& [folder, sweep] :
       {std::pair{".", "deep/s.yaml"}, {"deep", "s.yaml"}, {"deep/er", "../s.yaml"}}) {
    CASE(folder);
    CHECK(axelram(std::string("sweep ") + sweep + " -o out", std::string("cd ") + folder + " &&"));
    const Json rows = axelram.json(std::string(folder) + "/out/s.json")["rows"];
    CHECK(rows[0]["rejected"].is_null());
    CHECK(contains(rows[1]["rejected"], "signs: "));
    CHECK(contains(rows[1]["rejected"], "no such file"));
  }
}

TEST_CASE("sweep: a reason names files as the sweep and the base do") {
  const TempDir axelram;
  fs::create_directories(axelram.at("deep"));
  axelram.put("deep/base.yaml", "macro: {head_dim: 32}\nrotation: {signs: here.safetensors}\n");
  const std::vector<std::int8_t> signs(32, -1);
  axelram::files::write_safetensors(
      axelram.at("deep/here.safetensors"),
      {axelram::files::view("signs", axelram::files::DataType::i8, {1, 1, 32}, signs)}, {}, false);
  axelram.put(
      "s.yaml",
      "base: [deep/base.yaml, d64-b3]\nreports: [memory]\n"
      "list: [{macro.max_keys: 5}, {rotation.signs: deep/../none}, {macro.head_dim: 64}]\n");
  CHECK(axelram("sweep s.yaml -o out"));
  const Json rows = axelram.json("out/s.json")["rows"];
  for (const int row : {1, 4}) {
    CASE(row);
    const std::string reason = rows[row]["rejected"];
    CHECK(reason.rfind("signs: deep/../none: no such file", 0) == 0);
  }
  CHECK(rows[2]["rejected"].get<std::string>().rfind("signs: here.safetensors: ", 0) == 0);
}

TEST_CASE("sweep: files that a base names are no outputs") {
  const TempDir axelram;
  fs::create_directories(axelram.at("out"));
  fs::copy_file(kSource + "/configs/d32-channels.safetensors", axelram.at("out/s.csv"));
  axelram.put("base.yaml", content(kSource + "/configs/d32-split31-trellis-folded.yaml"));
  std::string base = axelram.content("base.yaml");
  base.replace(base.find("d32-channels.safetensors"), 24, "out/s.csv");
  axelram.put("base.yaml", base);
  axelram.put("s.yaml", "base: base.yaml\nreports: [memory]\n");
  failed(axelram(kSweepRun + " --force"), 2, "out/s.csv: is also an input");
}

TEST_CASE("sweep: a bad file is told in one line, with its place") {
  const TempDir axelram;
  std::string many = "0";
  for (int i = 1; i < 101; ++i) many += ", " + std::to_string(i);
  struct Bad {
    std::string text, part;
  };
  const std::vector<Bad> cases = {
      {"", "s.yaml:1: no base; name the configuration that varies"},
      {"5\n", "s.yaml:1: one value, '5', instead of a map; write such as base: paper-d128-b3"},
      {"base: paper-d128-b\n",
       "s.yaml:1: base 'paper-d128-b' is no file beside the sweep and no "
       "shipped configuration; did you mean 'paper-d128-b3'?"},
      {"base: small.yaml\ngird: {}\n", "s.yaml:2: unknown name 'gird'; did you mean 'grid'?"},
      {"base: small.yaml\ngrid:\n  macro.index_bit: [2]\n",
       "s.yaml:3: unknown configuration key 'macro.index_bit'; did you mean 'macro.index_bits'?"},
      {"base: small.yaml\ngrid: {index_bits: [2]}\n",
       "s.yaml:2: 'index_bits' is a key of section macro; write macro.index_bits"},
      {"base: small.yaml\ngrid: {macro.index_bits: 2}\n",
       "s.yaml:2: 'macro.index_bits' is one value, '2'; write a list"},
      {"base: small.yaml\ngrid: {macro.index_bits: []}\n",
       "s.yaml:2: 'macro.index_bits' is an empty list"},
      {"base: small.yaml\ngrid: {macro.index_bits: [2, [3]]}\n",
       "s.yaml:2: macro.index_bits has a value that is a list; give one value"},
      {"base: small.yaml\nlist:\n  - {ecc.code: golay24}\n  - {ecc.cod: none}\n",
       "s.yaml:4: unknown"},
      {"base: small.yaml\nreports: [area]\n", "s.yaml:2: report 'area'; give operators, memory"},
      {"base: small.yaml\ncolumns: [compresion]\n",
       "s.yaml:2: figure 'compresion' is in no report of this sweep; did you mean 'compression'?"},
      {"base: small.yaml\npareto:\n  - {x: compression, x_best: most, y: a, y_best: lowest}\n",
       "s.yaml:3: x_best is 'most'; give lowest or highest"},
      {"base: small.yaml\npareto: [{x: compression}]\n", "s.yaml:2: a front without y"},
      {"base: small.yaml\ntrace: none.safetensors\n",
       "s.yaml:2: trace 'none.safetensors' is no file"},
      {"base: small.yaml\ntrace: small.yaml\n", "s.yaml:2: trace 'small.yaml': "},
      {"base: small.yaml\ntrace: \"trace.safetensors\\0\"\n",
       "s.yaml:2: 'trace' is 'trace.safetensors\\x00', which has a NUL character"},
      {"base: small.yaml\ngrid: {rotation.signs: [\"a\\0\"]}\n", "which has a NUL character"},
      {"base: small.yaml\ngrid: {macro.index_bits: [9, 10]}\ncolumns: [none]\n",
       "s.yaml:1: all 2 configurations are rejected; row 1, small.yaml: index_bits is 9"},
      {"base: small.yaml\nreports: [memory]\ngrid: {macro.max_keys: [1, 2, 3, 4, 5, 6, 7, 8, 9, "
       "10, "
       "11, 12, 13]}\npareto:\n  - {x: key_store_bits, x_best: lowest, y: compression, y_best: "
       "highest, series: macro.max_keys}\n",
       "s.yaml:5: series macro.max_keys has 13 values; name a key with at most 12"},
      {"base: small.yaml\ntrace: trace.safetensors\nreports: [memory]\n",
       "s.yaml:2: a trace, which no report of this sweep reads"},
      {"base: small.yaml\ngrid: {rotation.layer: [" + many + "], rotation.head: [" + many + "]}\n",
       "s.yaml:1: more than 10000 configurations"},
      {"base: small.yaml\nbase: small.yaml\n", "s.yaml:2: 'base' repeats; line 1 has it already"},
      {"base: &a small.yaml\n", "s.yaml:1: an anchor (&)"},
      {"base: [[[[[a]]]]]\n", "s.yaml:1: more than 4 lists and maps within each other"}};
  for (const Bad& bad : cases) {
    CASE(bad.text);
    axelram.put("s.yaml", bad.text);
    axelram.rejected("sweep s.yaml -o out", bad.part);
  }
  axelram.put("s.yaml", "base: small.yaml\n");
  axelram.rejected("sweep none.yaml -o out", "none.yaml: no such file");
  axelram.rejected("sweep s.yaml -o small.yaml", "small.yaml: is not a directory");
  axelram.rejected("sweep s.yaml -o out --plots gif", "--plots");
}

/// The block of docs/sweeps.md behind a mark.
std::string block_of(const std::string& mark) {
  const std::string guide = content(kSource + "/docs/use/sweeps.md");
  const std::size_t begin = guide.find("\n", guide.find("```", guide.find(mark))) + 1;
  return guide.substr(begin, guide.find("```", begin) - begin);
}

TEST_CASE("sweep: docs/sweeps.md shows the file and the output of its example") {
  const TempDir axelram;
  const std::string printed =
      axelram.output("sweep " + quoted(kSource + "/sweeps/bits.yaml") + " -o out --plots json");
  CHECK(printed == block_of("<!-- sweep-bits -->"));
  CHECK_SAME(content(kSource + "/sweeps/bits.yaml"), block_of("asks that:"));
}

TEST_CASE("sweep: shipped sweeps have rows that are not rejected, and fronts") {
  const TempDir axelram;
  for (const auto& [name, rows, points] :
       {std::tuple{"lanes", 27, 27}, {"codes", 10, 10}, {"write_path", 8, 8}}) {
    CASE(name);
    const std::string printed = axelram.output("sweep " + quoted(kSource + "/sweeps/" + name) +
                                               ".yaml --plots json -o " + name);
    CHECK(contains(printed, std::to_string(rows) + " configurations, " +
                                std::to_string(rows - points) + " rejected; " +
                                std::to_string(points) + " points"));
  }
}

TEST_CASE("sweep: JSON is read too") {
  const TempDir axelram;
  axelram.put("s.json",
              "{\"base\": \"small.yaml\", \"grid\": {\"macro.index_bits\": [2, 3]}, \"reports\": "
              "[\"memory\"]}");
  CHECK(axelram("sweep s.json -o out"));
  CHECK(axelram.json("out/s.json")["rows"].size() == 2);
}

}  // namespace
