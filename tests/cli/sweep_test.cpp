#include <array>
#include <filesystem>

#include "axelram/files/safetensors.hpp"
#include "sweep_support.hpp"

namespace {

namespace fs = std::filesystem;
using namespace test;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST_CASE("sweep: rows in the order of the grid, a rejected one with its reason") {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  const ProcessResult done = axelram(kSweepRun);
  REQUIRE(done);
  CHECK(done.err.empty());
  CHECK(contains(done.out, "10 configurations, 6 rejected; 4 points evaluated, 0 found"));
  CHECK(contains(done.out,
                 "row 2: small.yaml, macro.index_bits 2, microarchitecture.read_lanes 64: "
                 "read_lanes is 64"));

  const Json record = axelram.json("out/s.json");
  REQUIRE(record["rows"].size() == 10);
  const std::vector<std::array<std::string, 3>> expected = {{"small.yaml", "2", "8"},
                                                            {"small.yaml", "2", "64"},
                                                            {"small.yaml", "3", "8"},
                                                            {"small.yaml", "3", "64"},
                                                            {"small.yaml", "3", "32"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CASE(i);
    const Json& row = record["rows"][i];
    CHECK(row["base"] == expected[i][0]);
    CHECK(row["settings"]["macro.index_bits"] == expected[i][1]);
    CHECK(row["settings"]["microarchitecture.read_lanes"] == (i == 4 ? "32" : expected[i][2]));
    CHECK(row["rejected"].is_null() == (expected[i][2] != "64"));
    CHECK(row["point"].is_null() == (expected[i][2] == "64"));
  }
  CHECK(record["rows"][4]["settings"]["ecc.code"] == "golay24");
  CHECK(record["rows"][9]["base"] == "d32-b3-hamming84");
  // A macro that the trace does not fit: 24 keys.
  CHECK(contains(record["rows"][5]["rejected"], "trace: tensor keys: "));

  // The figures are those of the report.
  axelram.put(
      "two.yaml",
      "macro: {head_dim: 32, index_bits: 2, max_keys: 64}\nmicroarchitecture: {read_lanes: 8}\n");
  REQUIRE(axelram("report two.yaml trace.safetensors --json r.json"));
  const Json report = axelram.json("r.json");
  std::size_t compared = 0;
  for (const Json& line : report)
    if (record["rows"][0]["figures"].contains(line["name"])) {
      CASE(line["name"]);
      CHECK(record["rows"][0]["figures"][line["name"].get<std::string>()] == line["value"]);
      ++compared;
    }
  CHECK(compared == record["columns"].size() - 2);  // code_* are lines of their own

  axelram.put("golay.yaml", "macro: {head_dim: 32, max_keys: 50}\necc: {code: golay24}\n");
  REQUIRE(axelram("report golay.yaml --json g.json"));
  for (const Json& line : axelram.json("g.json"))
    for (const std::string figure : {"stored_bits", "overhead"}) {
      CASE(line, figure);
      if (line["name"] == "golay24_" + figure)
        CHECK(record["rows"][4]["figures"]["code_" + figure] == line["value"]);
    }
  CHECK(record["rows"][0]["figures"]["code_overhead"] == 0);

  const std::vector<std::string> csv = lines_of(axelram.content("out/s.csv"));
  REQUIRE(csv.size() == 11);
  CHECK(contains(csv[0],
                 "row,base,macro.index_bits,microarchitecture.read_lanes,ecc.code,"
                 "macro.max_keys,"));
  CHECK(csv[1].rfind("1,small.yaml,2,8,none,64,", 0) == 0);
  CHECK(contains(csv[2], ",,,"));
  CHECK(contains(csv[2], "read_lanes is 64"));
}

TEST_CASE("sweep: the front is what no other row beats") {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  REQUIRE(axelram(kSweepRun));
  const Json record = axelram.json("out/s.json");
  const Json& front = record["fronts"][0];
  CHECK(front["plot"] == "s_pareto_1.json");
  std::vector<int> expected;
  for (const Json& row : record["rows"]) {
    if (!row["rejected"].is_null()) continue;
    bool beaten = false;
    const auto x = [](const Json& r) { return r["figures"]["code_stored_bits"].get<double>(); };
    const auto y = [](const Json& r) { return r["figures"]["compression"].get<double>(); };
    for (const Json& other : record["rows"])
      if (other["rejected"].is_null())
        beaten = beaten || (x(other) <= x(row) && y(other) >= y(row) &&
                            (x(other) < x(row) || y(other) > y(row)));
    if (!beaten) expected.push_back(row["row"].get<int>());
  }
  CHECK(!expected.empty());
  CHECK_SAME(front["rows"].get<std::vector<int>>(), expected);
  const Json plot = axelram.json("out/s_pareto_1.json");
  CHECK(plot["series"].back()["name"] == "front");
  CHECK(plot["series"].back()["line"].size() == 2 * expected.size() - 1);
  CHECK(plot["series"][0]["name"] == "ecc.code none");
}

TEST_CASE("sweep: a point is that of its trace, its files and its groups") {
  const TempDir axelram;
  const auto write = [&](const std::string& signs, const std::string& more) {
    axelram.put("s.yaml", "base: small.yaml\nlist: [{rotation.signs: " + signs + "}]\n" + more);
  };
  const auto evaluated = [&]() -> bool {
    const std::string printed = axelram.output("sweep s.yaml -o out --force");
    return contains(printed, "1 points evaluated, 0 found");
  };
  const auto put_signs = [&](std::int8_t first) {
    std::vector<std::int8_t> signs(32, 1);
    signs[0] = first;
    axelram::files::write_safetensors(
        axelram.at("signs"),
        {axelram::files::view("signs", axelram::files::DataType::i8, {1, 1, 32}, signs)}, {}, true);
  };
  put_signs(1);
  write("signs", "");
  CHECK(evaluated());
  CHECK_FALSE(evaluated());
  put_signs(-1);
  CHECK(evaluated());
  write("signs", "reports: [memory]\n");
  CHECK(evaluated());
  write("signs", "reports: [cycles]\ntrace: trace.safetensors\n");
  CHECK(evaluated());
  CHECK_FALSE(evaluated());
  axelram::files::Trace trace = TempDir::trace();
  trace.queries.resize(32);
  axelram::files::write_trace(axelram.at("trace.safetensors"), trace, true);
  CHECK(evaluated());
  CHECK(axelram.json("out/s.json")["rows"][0]["settings"]["rotation.signs"] == "signs");
}

TEST_CASE("sweep: a figure that only some quantizers have is a column in any order of rows") {
  const TempDir axelram;
  for (const auto& [kinds, row] : {std::pair{"[trellis, mse]", 0}, {"[mse, trellis]", 1}}) {
    axelram.put("s.yaml", std::string("base: small.yaml\ngrid: {quantizer.kind: ") + kinds +
                              "}\ncolumns: [distortion_theory_sphere]\n");
    CASE(kinds, row);
    REQUIRE(axelram(kSweepRun));
    const Json rows = axelram.json("out/s.json")["rows"];
    CHECK(rows[1 - row]["figures"]["distortion_theory_sphere"].is_number());
    CHECK(rows[row]["not_available"]["distortion_theory_sphere"] == "a search has no closed form");
  }
}

TEST_CASE("sweep: a figure that is not finite is n/a, with the reason") {
  const TempDir axelram;
  axelram::files::Trace trace = TempDir::trace();
  trace.queries.clear();
  axelram::files::write_trace(axelram.at("trace.safetensors"), trace, true);
  axelram.put("s.yaml",
              "base: small.yaml\ntrace: trace.safetensors\ncolumns: [trace_attention_kl]\n");
  REQUIRE(axelram(kSweepRun));
  CHECK(axelram.json("out/s.json")["rows"][0]["not_available"]["trace_attention_kl"] ==
        "not finite on this data");
}

TEST_CASE("sweep: an empty value is shown, and one that a rejected row does not set is not") {
  const TempDir axelram;
  axelram.put("s.yaml",
              "base: small.yaml\nreports: [memory]\n"
              "list: [{macro.name: \"\"}, {macro.index_bits: 3}]\n");
  const std::string printed = axelram.output(kSweepRun);
  CHECK(contains(printed, "row 1: small.yaml, macro.name '': "));
  const Json rows = axelram.json("out/s.json")["rows"];
  CHECK(rows[0]["settings"]["macro.name"] == "");
  CHECK(rows[0]["settings"]["macro.index_bits"].is_null());
}

TEST_CASE("sweep: without Yosys gates are n/a, with the reason") {
  const TempDir axelram;
  axelram.put("g.yaml",
              "base: small.yaml\nlist: [{ecc.code: none}, {ecc.code: golay24}]\nreports: "
              "[unit_gates, code_gates]\n");
  axelram.put_tool("yosys", "#!/bin/sh\necho 'no library' >&2; exit 127\n");
  failed(axelram("sweep g.yaml -o out", kOwnTools), 3,
         "yosys -V failed with status 127: no library");
  REQUIRE(axelram("sweep g.yaml -o out", "PATH=/nowhere"));
  const Json rows = axelram.json("out/g.json")["rows"];
  for (const char* name : {"units_gates", "units_flip_flops"})
    for (const Json& row : rows) {
      CASE(name, row);
      CHECK(row["figures"][name].is_null());
      CHECK(contains(row["not_available"][name], "yosys is not installed"));
    }
  CHECK(rows[0]["figures"]["code_decoder_gates"] == 0);
  const Json point = axelram.json("out/points/" + rows[0]["point"].get<std::string>() + ".json");
  for (const Json& figure : point["figures"]) {
    CASE(figure);
    if (figure["name"] == "code_decoder_gates") CHECK(figure["method"] == "counted");
  }
  CHECK(contains(rows[1]["not_available"]["code_decoder_gates"], "yosys is not installed"));
  CHECK(contains(axelram.content("out/g.csv"), ",n/a,n/a,"));
}

TEST_CASE("sweep: without matplotlib the tables are written") {
  const TempDir axelram;
  axelram.put("s.yaml", kSweep);
  axelram.put_tool("python3", kNoMatplotlib);
  failed(axelram("sweep s.yaml -o out", kOwnTools), 3,
         "plots need matplotlib; run x, or give --plots json or none; the tables "
         "are written");
  CHECK(axelram.has("out/s.csv"));
  CHECK(axelram.has("out/s.json"));
}

}  // namespace
