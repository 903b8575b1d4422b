#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "axelram/rtl/layout.hpp"
#include "check.hpp"
#include "checked_run.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

using Random = std::mt19937_64;

int one_of(Random* random, const std::vector<int>& values) {
  return values[(*random)() % values.size()];
}

/// The parameters of a macro without its score lane, at random.
std::string drawn(Random* random, const std::string& kind, int* smallest_table) {
  const int b = one_of(random, {2, 3, 4});
  const std::string scale = kind == "prod" || one_of(random, {0, 1}) == 0 ? "norm" : "unbiased";
  *smallest_table = 32 * (1 << b) / (kind == "prod" ? 4 : kind == "trellis" ? 1 : 2);
  const std::string codebook = one_of(random, {0, 1}) == 0 ? "beta" : "gaussian";
  std::string text = "macro: {head_dim: 32, max_keys: 24, index_bits: " + std::to_string(b) +
                     "}\nnumerics: {query_bits: " + std::to_string(one_of(random, {6, 8, 16})) +
                     ", centroid_bits: " + std::to_string(one_of(random, {6, 8, 16})) +
                     (kind == "trellis" ? "" : ", codebook: " + codebook) +
                     "}\nquantizer: {kind: " + kind + ", scale: " + scale + "}\n";
  if (one_of(random, {0, 1}) == 0) text += "ecc: {code: hamming84, stages: 1}\n";
  return text;
}

}  // namespace

TEST_CASE("every score lane has the same results, and the cycles that the model states") {
  Random random(11);
  for (const char* kind : {"mse", "trellis", "prod"}) {
    CASE(kind);
    int smallest_table = 0;
    const std::string text = drawn(&random, kind, &smallest_table);
    const int lanes = one_of(&random, {2, 8, 32}), read_lanes = one_of(&random, {1, 4, 32});
    const int multipliers = std::min(smallest_table, one_of(&random, {1, 2, 16, 64}));
    const std::string shape = "microarchitecture: {key_lanes: " + std::to_string(lanes) +
                              ", read_lanes: " + std::to_string(read_lanes);
    const std::string of_table = ", table_multipliers: " + std::to_string(multipliers);
    const files::Config table = test::small(text + shape + of_table + "}\n");
    const files::Config half = test::small(text + shape + of_table + ", score_lane: half_table}\n");
    const files::Config multiply = test::small(text + shape + ", score_lane: multiplier}\n");
    const files::Trace trace = test::small_trace(table);
    const RtlRun first = checked_run(table, trace);
    CHECK(files::first_difference(first.result, checked_run(half, trace).result) == std::nullopt);
    CHECK(files::first_difference(first.result, checked_run(multiply, trace).result) ==
          std::nullopt);
  }
}

// Golden and the cycle model know nothing of latches. A step writes a part of a row, rows of some
// lanes, or rows of all lanes.
TEST_CASE("a table of latches has the results and cycles of one of flip-flops") {
  Random random(12);
  const auto check = [&](const char* kind, const std::string& lanes) {
    int smallest_table = 0;
    const std::string text = drawn(&random, kind, &smallest_table) + "microarchitecture: {" + lanes;
    const files::Config latches = test::small(text + ", table_storage: latches}\n");
    checked_run(latches, test::small_trace(latches));
  };
  check("mse", "key_lanes: 8, read_lanes: 4, table_multipliers: 1");
  check("mse", "key_lanes: 4, read_lanes: 2, table_multipliers: 64");
  check("trellis", "read_lanes: 32, table_multipliers: 16, score_lane: half_table");
  check("prod", "key_lanes: 2, read_lanes: 16, table_multipliers: 16");
  check("prod", "read_lanes: 1, table_multipliers: 2, score_lane: half_table");
}

TEST_CASE("a split and exact tokens have half tables, and a split multipliers") {
  const auto check = [](files::Config config, files::ScoreLane lane) {
    config.microarchitecture.score_lane = lane;
    checked_run(config, test::small_trace(config));
    if (lane == files::ScoreLane::multiplier) return;
    config.microarchitecture.table_storage = files::TableStorage::latches;
    checked_run(config, test::small_trace(config));
  };
  check(test::small_split_folded(), files::ScoreLane::half_table);
  check(test::small_split_trellis(), files::ScoreLane::half_table);
  check(test::small_split_folded(), files::ScoreLane::multiplier);
  check(test::small_exact_folded(), files::ScoreLane::half_table);
}

TEST_CASE("a half table takes half the cycles, and multipliers one or those of the total of v") {
  const auto cycles = [](const std::string& text) {
    return rtl::Layout(test::small("macro: {head_dim: 128}\n" + text)).build_cycles;
  };
  CHECK(cycles("") == 128);
  CHECK(cycles("microarchitecture: {score_lane: half_table}") == 64);
  CHECK(cycles("microarchitecture: {score_lane: half_table, table_multipliers: 512}") == 1);
  CHECK(cycles("microarchitecture: {score_lane: multiplier}") == 1);
  const std::string prod = "quantizer: {kind: prod}\n";
  CHECK(cycles(prod + "microarchitecture: {score_lane: half_table}") == 32);
  CHECK(cycles(prod + "microarchitecture: {score_lane: multiplier}") == 1);
  CHECK(cycles(prod + "microarchitecture: {score_lane: multiplier, read_lanes: 8}") == 16);
}

}  // namespace axelram::sim
