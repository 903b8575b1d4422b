#include <algorithm>

#include "axelram/files/result.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "needs.hpp"
#include "program.hpp"

namespace {

using namespace test;

/// Queries, and keys as far as there is room, for a configuration of this repository; file t.
void write_trace(const TempDir& place, const std::string& config, std::size_t keys,
                 std::size_t queries) {
  const axelram::files::Config c = axelram::files::read_config(config);
  keys = std::min(keys, static_cast<std::size_t>(c.max_keys));
  axelram::files::write_trace(place.at("t"),
                              axelram::run::gaussian_trace(c.parameters, keys, queries, 3), true);
}

TEST_CASE("cuda writes the bytes of golden") {
  const TempDir axelram;
  for (const char* name : {"paper-d128-b3",
                           "d32-b3",
                           "d64-b3-hsiao22",
                           "d256-b4",
                           "d128-b2",
                           "d128-b3-bf16",
                           "d128-b3-center",
                           "d128-b3-wide",
                           "d128-b3-beta",
                           "d128-b3-hsiao72",
                           "d32-b3-hamming74",
                           "d32-b3-hamming84",
                           "paper-d128-b3-golay24",
                           "d128-b3-unbiased",
                           "d128-b3-exact",
                           "d32-b3-exact-folded",
                           "d64-b3-trellis",
                           "d32-b2-trellis-folded",
                           "d128-b3-prod",
                           "d32-b2-prod-folded",
                           "d128-split42",
                           "d32-split31-trellis-folded"}) {
    CASE(name);
    const std::string config = std::string(AXELRAM_SOURCE "/configs/") + name + ".yaml";
    write_trace(axelram, config, 67, 9);
    const std::string run = "run " + quoted(config) + " t --force ";
    REQUIRE(axelram(run + "-o golden --engine golden"));
    const ProcessResult cuda = axelram.emulated(run + "-o cuda --engine cuda --json cuda.json");
    CHECK(cuda.err == "");
    REQUIRE(cuda);
    CHECK_SAME(axelram.content("golden"), axelram.content("cuda"));
    const Json json = axelram.json("cuda.json");
    CHECK(json["engine"] == "cuda");
    CHECK(json["device"] == axelram::kernels::device_info().name);
    CHECK(json["keys"] == axelram::files::read_result(axelram.at("cuda")).tokens);
    CHECK(json["queries"] == 9);
    CHECK(json["seconds"].get<double>() > 0);
    CHECK(json["cycles"]["measured"].is_null());
    CHECK(contains(cuda.out, "engine         cuda, "));
  }
}

namespace {

/// golden, fast, RTL and the emulated kernels write the same bytes.
void check_all_engines(const TempDir& axelram, const std::string& config,
                       const std::string& trace) {
  CASE(config);
  const std::string run = "run " + config + " " + quoted(trace) + " --force ";
  REQUIRE(axelram(run + "-o golden --engine golden"));
  for (const char* engine : {"fast", "rtl"}) {
    CASE(engine);
    REQUIRE(axelram(run + "-o other --engine " + engine));
    CHECK_SAME(axelram.content("golden"), axelram.content("other"));
  }
  REQUIRE(axelram.emulated(run + "-o cuda --engine cuda"));
  CHECK_SAME(axelram.content("golden"), axelram.content("cuda"));
}

}  // namespace

TEST_CASE("all engines on keys of a pretrained model") {
  const TempDir axelram;
  const std::string traces = AXELRAM_SOURCE "/traces/";
  check_all_engines(axelram, "d64-b3", traces + "smollm2-135m.safetensors");
  check_all_engines(axelram, "d64-b3-balance", traces + "qwen2.5-coder-0.5b.safetensors");
  check_all_engines(axelram, "paper-d128-b3", traces + "qwen2.5-coder-1.5b.safetensors");
}

TEST_CASE("all engines on keys captured from SmolLM2-135M" * needs_smollm2) {
  const TempDir axelram;
  axelram.put_text();
  for (const std::string head : {"--layer 1 --head 0", "--layer 29 --head 2"}) {
    CASE(head);
    REQUIRE(axelram("capture smollm2-135m text.txt --tokens 150 --force -o t " + head));
    check_all_engines(axelram, "d64-b3", "t");
  }
}

TEST_CASE("cuda: no keys and no queries are a trace like any other") {
  const TempDir axelram;
  const std::string config = AXELRAM_SOURCE "/configs/d32-b3-hamming84.yaml";
  const std::vector<std::pair<std::size_t, std::size_t>> sizes = {{0, 0}, {0, 2}, {3, 0}};
  for (const auto& [keys, queries] : sizes) {
    CASE(keys, queries);
    write_trace(axelram, config, keys, queries);
    const std::string run = "run " + quoted(config) + " t --force ";
    CHECK(axelram(run + "-o golden --engine golden"));
    CHECK(axelram.emulated(run + "-o cuda --engine cuda"));
    CHECK_SAME(axelram.content("golden"), axelram.content("cuda"));
  }
}

TEST_CASE("cuda: what is not finite is rejected") {
  const TempDir axelram;
  axelram::files::Trace nan = axelram.trace();
  nan.keys[32 + 5] = 0x7E00;
  axelram::files::write_trace(axelram.at("nan"), nan, false);
  failed(axelram.emulated("run small.yaml nan -o out --engine cuda"), 2,
         "tensor keys, row 1, column 5: NaN");
  CHECK(!axelram.has("out"));
}

TEST_CASE("cuda: the program runs it where there is a GPU, and says why not where there is none") {
  const TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors ";
  const ProcessResult cuda = axelram(run + "-o cuda --engine cuda");
  if (cuda.code == 0) {
    REQUIRE(axelram(run + "-o golden --engine golden"));
    CHECK_SAME(axelram.content("golden"), axelram.content("cuda"));
  } else {
    CHECK(cuda.code == 3);
    CHECK(contains(cuda.err, "axelram: --engine cuda: "));
    CHECK(contains(cuda.err, "use another engine"));
    CHECK(!axelram.has("cuda"));
  }
}

}  // namespace
