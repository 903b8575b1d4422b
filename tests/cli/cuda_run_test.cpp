#include "cuda_run.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <nlohmann/json.hpp>

#include "axelram/files/errors.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/sim/engine.hpp"
#include "program.hpp"

namespace {

using test::contains;
using test::content;
using Json = nlohmann::json;

/// Queries, and keys as far as there is room, for a configuration of this repository; file t.
void write_trace(const test::TempDir& place, const std::string& config, std::size_t keys,
                 std::size_t queries) {
  const axelram::files::Config c = axelram::files::read_config(config);
  keys = std::min(keys, static_cast<std::size_t>(c.max_keys));
  axelram::files::write_trace(place.at("t"),
                              axelram::sim::gaussian_trace(c.parameters, keys, queries, 3), true);
}

/// The command line with the kernels emulated in place of the program with real ones.
test::ProcessResult emulated(const test::TempDir& place, const std::string& arguments) {
  return place.run(AXELRAM_EMULATED, arguments);
}

TEST_CASE("cuda writes the bytes of golden") {
  const test::TempDir axelram;
  for (const char* name :
       {"paper-d128-b3", "d32-b3", "d64-b3-hsiao22", "d256-b4", "d128-b2", "d128-b3-bf16",
        "d128-b3-center", "d128-b3-wide", "d128-b3-beta", "d128-b3-hsiao72", "d32-b3-hamming74",
        "d32-b3-hamming84", "paper-d128-b3-golay24"}) {
    CAPTURE(name);
    const std::string config = std::string(AXELRAM_SOURCE "/configs/") + name + ".yaml";
    write_trace(axelram, config, 67, 9);
    const std::string run = "run " + test::quoted(config) + " t --force ";
    REQUIRE(axelram(run + "-o golden").code == 0);
    const test::ProcessResult cuda = emulated(axelram, run + "-o cuda --engine cuda --json cuda.json");
    CHECK(cuda.err == "");
    REQUIRE(cuda.code == 0);
    CHECK(content(axelram.at("golden")) == content(axelram.at("cuda")));
    const Json json = Json::parse(content(axelram.at("cuda.json")));
    CHECK(json["engine"] == "cuda");
    CHECK(json["device"] == axelram::kernels::device_info().name);
    CHECK(json["keys"] == axelram::files::read_result(axelram.at("cuda")).tokens);
    CHECK(json["queries"] == 9);
    CHECK(json["seconds"].get<double>() > 0);
    CHECK(json["cycles"]["measured"].is_null());
    CHECK(contains(cuda.out, "engine         cuda, "));
  }
}

TEST_CASE("cuda: no keys and no queries are a trace like any other") {
  const test::TempDir axelram;
  const std::string config = AXELRAM_SOURCE "/configs/d32-b3-hamming84.yaml";
  const std::vector<std::pair<std::size_t, std::size_t>> sizes = {{0, 0}, {0, 2}, {3, 0}};
  for (const auto& [keys, queries] : sizes) {
    CAPTURE(keys);
    CAPTURE(queries);
    write_trace(axelram, config, keys, queries);
    const std::string run = "run " + test::quoted(config) + " t --force ";
    CHECK(axelram(run + "-o golden").code == 0);
    CHECK(emulated(axelram, run + "-o cuda --engine cuda").code == 0);
    CHECK(content(axelram.at("golden")) == content(axelram.at("cuda")));
  }
}

TEST_CASE("cuda: keys and queries that come in several chunks") {
  for (const char* name : {"d32-b3-hamming74", "d64-b3", "d128-b3-bf16"}) {
    CAPTURE(name);
    axelram::files::Config config =
        axelram::files::read_config(std::string(AXELRAM_SOURCE "/configs/") + name + ".yaml");
    config.max_keys = 200;
    const axelram::files::Trace trace = axelram::sim::gaussian_trace(config.parameters, 150, 11, 5);
    const axelram::files::Result golden = axelram::sim::run_golden(config, trace);
    for (const std::size_t scratch : {std::size_t{0}, std::size_t{4000}, std::size_t{40000}}) {
      CAPTURE(scratch);
      const auto difference = axelram::files::first_difference(
          golden, axelram::cli::run_cuda(config, trace, scratch).result);
      CHECK_MESSAGE(!difference, (difference ? difference->text() : ""));
    }
  }
}

TEST_CASE("cuda: extreme BF16 elements, scores that saturate and underflow") {
  const axelram::files::Config config =
      axelram::files::read_config(AXELRAM_SOURCE "/configs/d128-b3-bf16.yaml");
  axelram::files::Trace trace = axelram::sim::gaussian_trace(config.parameters, 70, 8, 5);
  for (std::size_t i = 0; i < trace.keys.size(); ++i) {
    if (i / 128 % 3 == 1) trace.keys[i] = i % 5 == 0 ? 0x7F7F : 0xC000;  // FLT_MAX's binade, -2
    if (i / 128 % 3 == 2) trace.keys[i] = i % 5 == 0 ? 0x3580 : 0xB5C0;  // 2^-20, -1.5 * 2^-20
  }
  for (std::size_t i = 0; i < trace.queries.size(); ++i) {
    if (i / 128 % 4 == 1) trace.queries[i] = i % 2 == 0 ? 0x7F7F : 0x7E80;
    if (i / 128 % 4 == 2) trace.queries[i] = static_cast<std::uint16_t>(i % 100);  // subnormals
    if (i / 128 % 4 == 3) trace.queries[i] = 0;
  }
  const axelram::files::Result golden = axelram::sim::run_golden(config, trace);
  const auto any = [&](const auto& is) {
    return std::any_of(golden.scores.begin(), golden.scores.end(), is);
  };
  CHECK(any([](float score) { return std::fabs(score) == FLT_MAX; }));
  CHECK(any([](float score) { return score != 0 && std::fabs(score) < FLT_MIN; }));
  const auto difference =
      axelram::files::first_difference(golden, axelram::cli::run_cuda(config, trace).result);
  CHECK_MESSAGE(!difference, (difference ? difference->text() : ""));
}

TEST_CASE("cuda: what is not finite is rejected") {
  const test::TempDir axelram;
  axelram::files::Trace nan = axelram.trace();
  nan.keys[32 + 5] = 0x7E00;
  axelram::files::write_trace(axelram.at("nan"), nan, false);
  const test::ProcessResult rejected = emulated(axelram, "run small.yaml nan -o out --engine cuda");
  CHECK(rejected.code == 2);
  CHECK(contains(rejected.err, "tensor keys, row 1, column 5: NaN"));
  CHECK(!axelram.has("out"));

  // What read_trace lets nobody ask for.
  const axelram::files::Config config = axelram::files::read_config(axelram.at("small.yaml"));
  CHECK_THROWS_WITH(axelram::cli::run_cuda(config, nan),
                    "the device rejected a key of a trace whose elements are all finite");
  axelram::files::Trace query = axelram.trace();
  query.queries[7] = 0x7C00;
  CHECK_THROWS_WITH(axelram::cli::run_cuda(config, query),
                    "the device rejected a query of a trace whose elements are all finite");
}

TEST_CASE("cuda: the program runs it where there is a GPU, and says why not where there is none") {
  const test::TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors ";
  const test::ProcessResult cuda = axelram(run + "-o cuda --engine cuda");
  if (cuda.code == 0) {
    REQUIRE(axelram(run + "-o golden").code == 0);
    CHECK(content(axelram.at("golden")) == content(axelram.at("cuda")));
  } else {
    CHECK(cuda.code == 3);
    CHECK(contains(cuda.err, "axelram: --engine cuda: "));
    CHECK(contains(cuda.err, "use --engine golden"));
    CHECK(!axelram.has("cuda"));
  }
}

}  // namespace
