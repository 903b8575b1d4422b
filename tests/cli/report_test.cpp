#include <nlohmann/json.hpp>
#include <set>

#include "needs.hpp"
#include "program.hpp"

namespace {

using namespace test;

TEST_CASE("the JSON of a report is a list of complete figures") {
  const TempDir axelram;
  const std::string printed =
      axelram.output("report small.yaml trace.safetensors --json report.json");
  const Json list = axelram.json("report.json");
  REQUIRE(list.is_array());
  REQUIRE(list.size() > 40);
  std::set<std::string> names;
  const std::set<std::string> methods = {"counted", "measured", "estimated", "n/a"};
  for (const Json& line : list) {
    CASE(line.dump());
    std::vector<std::string> keys;
    for (const auto& [key, value] : line.items()) keys.push_back(key);
    CHECK_SAME(keys, std::vector<std::string>{"name", "value", "unit", "method", "paper", "note"});
    CHECK(names.insert(line["name"].get<std::string>()).second);
    CHECK(methods.count(line["method"].get<std::string>()) == 1);
    CHECK(line["value"].is_null() == (line["method"] == "n/a"));
    CHECK(line["paper"].is_null());  // the paper has no macro with d = 32
    CHECK(!line["unit"].get<std::string>().empty());
    CHECK(!line["note"].get<std::string>().empty());
    std::string label = line["name"];
    std::replace(label.begin(), label.end(), '_', ' ');
    CHECK(contains(printed, "  " + label + " "));
  }
}

TEST_CASE("the paper's configuration gives the paper's figures") {
  const TempDir axelram;
  const std::string config = quoted(AXELRAM_SOURCE "/configs/paper-d128-b3.yaml");
  const std::string printed = axelram.output("report " + config + " --json report.json");
  std::map<std::string, std::pair<double, double>> figures;  // ours, the paper's
  for (const Json& line : axelram.json("report.json"))
    if (!line["paper"].is_null()) figures[line["name"]] = {line["value"], line["paper"]};

  const std::map<std::string, double> equal = {{"butterflies_per_vector", 448},
                                               {"butterflies_in_hardware", 448},
                                               {"comparisons_per_key", 896},
                                               {"comparators_in_hardware", 896},
                                               {"table_multiplications_per_query", 1024},
                                               {"lookups_per_key_scored", 128},
                                               {"table_memories_in_hardware", 128},
                                               {"additions_per_key_scored", 127},
                                               {"adders_in_hardware", 127},
                                               {"norm_multiplications_per_key_scored", 1},
                                               {"norm_multipliers_in_hardware", 1},
                                               {"conventional_multiplications_per_query", 524288},
                                               {"multiplications_per_query", 5120},
                                               {"multiplication_reduction", 102.4},
                                               {"sign_rom", 16},
                                               {"table_memory", 2048},
                                               {"bytes_per_key", 50},
                                               {"bytes_per_key_uncompressed", 256},
                                               {"model_cache", 100},
                                               {"model_cache_uncompressed", 512}};
  for (const auto& [name, value] : equal) {
    CASE(name);
    REQUIRE(figures.count(name) == 1);
    CHECK(figures[name].first == value);
    CHECK(figures[name].second == value);
  }
  CHECK_SAME(figures["codebook_rom"], std::pair(25.5, 30.0));
  CHECK_SAME(figures["compression"], std::pair(5.12, 5.1));
  CHECK(figures.size() == equal.size() + 2);
  // Text for people: the figure, its method and the paper's beside it.
  CHECK(contains(printed, "102.4  x "));
}

TEST_CASE("the bundled trace is scored as accurately as the codebook allows") {
  const TempDir axelram;
  const std::string source = AXELRAM_SOURCE;
  REQUIRE(axelram("report " + quoted(source + "/configs/paper-d128-b3.yaml") + " " +
                  quoted(source + "/traces/byte-llama-d128.safetensors") + " --json report.json"));
  std::map<std::string, double> values;
  for (const Json& line : axelram.json("report.json"))
    if (!line["value"].is_null()) values[line["name"]] = line["value"];
  CHECK(values["trace_score_pairs"] == 65536);
  CHECK(values["trace_distortion"] == doctest::Approx(0.0338).epsilon(0.01).scale(0));
  CHECK(values["trace_score_correlation"] > 0.99);
  CHECK(values["trace_score_relative_rms_error"] < 0.12);
  CHECK(values["trace_total_cycles"] == 108047);
}

TEST_CASE("what exact tokens add stands in the text and in the JSON") {
  const TempDir axelram;
  const std::string config = quoted(AXELRAM_SOURCE "/configs/d128-b3-exact.yaml");
  const std::string printed = axelram.output("report " + config + " --json report.json");
  CHECK(contains(printed, "\nexact tokens\n"));
  std::map<std::string, Json> lines = axelram.figures("report.json");
  CHECK(lines["table_multiplications_per_query"]["value"] == 1024);
  CHECK(lines["copy_multiplications_per_query"]["value"] == 2176);
  CHECK(lines["multiplications_per_query"]["value"] == 7279);
  CHECK(lines["multiplications_per_query"]["paper"] == 5120);
  CHECK(lines["copy_memory_bits"]["value"] == 34816);
  CHECK(lines["copy_read_delay_cycles"]["value"] == 21);
  CHECK(lines["copy_read_delay_cycles"]["method"] == "counted");
}

TEST_CASE("a macro with other keys stands beside one with plain keys") {
  const TempDir axelram;
  const auto lines_of = [&](const std::string& name) {
    REQUIRE(axelram("report " + name + " --json report.json --force"));
    std::map<std::string, Json> lines = axelram.figures("report.json");
    return lines;
  };
  std::map<std::string, Json> best = lines_of("d64-best"), plain = lines_of("d64-b3");
  int beside = 0;
  for (const auto& [name, line] : best)
    if (name.rfind("plain_", 0) == 0) {
      CASE(name);
      CHECK(line["value"] == plain[name.substr(6)]["value"]);
      ++beside;
    }
  CHECK(beside == 6);
  CHECK(best["plain_write_path_multiplications_per_key"]["value"] == 71);
  CHECK(best["plain_table_memory"]["value"] == 1024);
  for (const auto& [name, line] : plain) {
    CASE(name, line);
    CHECK(name.rfind("plain_", 0) != 0);
  }
}

TEST_CASE("figures of the paper stand beside no record of two parts") {
  const auto compared = [](const std::string& name) {
    const TempDir axelram;
    const std::string config = quoted(AXELRAM_SOURCE "/configs/" + name + ".yaml");
    REQUIRE(axelram("report " + config + " --json counted.json"));
    const Json report = axelram.json("counted.json");
    for (const Json& line : report) {
      CASE(line);
      if (line["name"] == "bytes_per_key")
        CHECK(line["value"] == (name == "paper-d128-b3" ? 50 : 52));
    }
    return std::count_if(report.begin(), report.end(),
                         [](const Json& line) { return !line["paper"].is_null(); });
  };
  CHECK(compared("paper-d128-b3") > 0);
  CHECK(compared("d128-b3-prod") == 0);
  CHECK(compared("d128-split42") == 0);
}

TEST_CASE("what codes add in bits and cycles") {
  const TempDir axelram;
  const std::string config = quoted(AXELRAM_SOURCE "/configs/paper-d128-b3.yaml");
  REQUIRE(axelram("report " + config + " --json counted.json"));
  std::map<std::string, Json> lines = axelram.figures("counted.json");
  CHECK(lines["hamming74_stored_bits"]["value"] == 700);
  CHECK(lines["hamming84_stored_bits"]["value"] == 800);
  CHECK(lines["golay24_stored_bits"]["value"] == 816);
  CHECK(lines["hsiao_72_64_stored_bits"]["value"] == 504);
  CHECK(lines["golay24_score_latency_cycles"]["value"] == 6);
  CHECK(lines["golay24_decoder_gates"]["method"] == "n/a");
}

std::map<std::string, Json> synthesized(const std::string& name) {
  const TempDir axelram;
  const std::string config = quoted(AXELRAM_SOURCE "/configs/" + name + ".yaml");
  std::map<std::string, Json> lines;
  REQUIRE(axelram("report " + config + " --synthesize --json measured.json"));
  for (const Json& line : axelram.json("measured.json")) lines[line["name"]] = line;
  return lines;
}

TEST_CASE("what codes add in gates, as Yosys measures them" * needs_yosys) {
  std::map<std::string, Json> lines = synthesized("d32-b3-folded");
  CHECK(lines["golay24_decoder_gates"]["method"] == "measured");
  // The last of eight bits is the parity of d0, d1 and d2 alone: 28 words of six gates.
  CHECK(lines["hamming84_encoder_gates"]["value"] == 168);
  CHECK(lines["golay24_decoder_gates"]["value"] > lines["hamming84_decoder_gates"]["value"]);
  int beside = 0;
  for (const auto& [name, line] : lines)
    if (const auto at = name.find("_in_hardware"); at != std::string::npos) {
      CASE(name);
      const Json& netlist = lines[name.substr(0, at) + "_in_netlist"];
      CHECK(netlist["method"] == "measured");
      CHECK(netlist["value"] == line["value"]);
      CHECK(netlist["paper"] == line["paper"]);
      ++beside;
    }
  CHECK(beside > 15);
}

TEST_CASE("gates of a trellis, an unbiased norm and exact tokens, as Yosys measures them" *
          needs_yosys) {
  std::map<std::string, Json> lines = synthesized("d32-b2-best-folded");
  for (const char* unit : {"trellis", "scale", "level", "score_table", "copy_rounding", "copies"}) {
    CASE(unit);
    const Json& gates = lines[std::string(unit) + "_gates"];
    CHECK(gates["method"] == "measured");
    CHECK(gates["value"] > 0);
  }
  CHECK(lines.count("quantizer_gates") == 0);
  CHECK(lines.count("correlation_gates") == 0);
  CHECK(lines["level_gates"]["value"] == lines["level_xors_in_hardware"]["value"]);
  CHECK(lines["level_flip_flops"]["value"] == 0);
  // Quotient, remainder and divisor at least.
  CHECK(lines["scale_flip_flops"]["value"] >= lines["divider_bits"]["value"]);
}

TEST_CASE("a netlist that is not what the closed forms say ends with exit code 1" * needs_yosys) {
  const TempDir axelram;
  axelram.put("few.yaml",
              "macro: {head_dim: 32, max_keys: 24}\n"
              "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 4}\n");
  // Yosys with RTL of one squarer less.
  axelram.put_tool("yosys",
                   "#!/bin/sh\n[ \"$1\" = -V ] && { echo Yosys 0.23; exit; }\ncase \"$2\" in\n"
                   "  *counted.il*) sed -i 's/i < Lanes; i++/i < Lanes - 1; i++/' "
                   "rtl/common/axelram_square_sum.sv; PATH=${PATH#*:} exec yosys \"$@\" ;;\n"
                   "  *) exit 9 ;;\nesac\n");
  const ProcessResult finished = axelram("report few.yaml --netlist --json report.json", kOwnTools);
  CHECK(finished.code == 1);
  CHECK(contains(finished.out,
                 "netlist equals the closed forms: DOES NOT HOLD\n"
                 "  squarers_in_netlist is 3, squarers_in_hardware is 4: 3 $mul of "
                 "axelram_square_sum\n"));
  for (const Json& line : axelram.json("report.json")) {
    CASE(line);
    if (line["name"] == "squarers_in_netlist") CHECK(line["value"] == 3);
  }
  // Without Yosys: a line that names it.
  failed(axelram("report few.yaml --netlist", "PATH=/nowhere"), 3, "yosys");
}

}  // namespace
