#include "axelram/sim/engine.hpp"

#include <filesystem>

#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "check.hpp"
#include "needs.hpp"
#include "sim/fields.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

const std::string kProject = AXELRAM_SOURCE;

/// Golden and RTL agree on a trace, with and without stalls, and the cycle model is exact.
void check_engines(const files::Config& config, const files::Trace& trace, bool long_run = false) {
  const files::Result golden = run::golden(config, trace);
  const std::string library = build_model(rtl::generate_observed(config), {false, !long_run, {}});
  const RtlRun plain = run_rtl(config, trace, library, {}, 1, "");
  CHECK(files::first_difference(golden, plain.result) == std::nullopt);
  const std::size_t records = trace.record_count(config.parameters);
  const Cycles predicted =
      cycle_model(rtl::Layout(config), {trace.key_count() - records, records}, trace.query_count());
  CHECK_SAME(plain.cycles, predicted);

  const RtlRun stalled = run_rtl(config, trace, library, {0.2, 0.2, 6}, 2, "");
  CHECK(files::first_difference(golden, stalled.result) == std::nullopt);
  if (trace.key_count() > 0 && trace.query_count() > 0)
    CHECK(stalled.cycles.total > predicted.total);
}

std::vector<std::uint16_t> to_half(const files::Tensor& tensor) {
  std::vector<std::uint16_t> halves;
  for (const float value : tensor.values<float>()) halves.push_back(double_to_half(value));
  return halves;
}

}  // namespace

TEST_CASE("engines agree on small macros, every folding") {
  for (const char* lanes :
       {"", "microarchitecture: {key_lanes: 1, read_lanes: 1, table_multipliers: 1}",
        "microarchitecture: {key_lanes: 16, read_lanes: 2, table_multipliers: 256}",
        "microarchitecture: {key_lanes: 2, read_lanes: 32, table_multipliers: 64}",
        "microarchitecture: {key_lanes: 8, read_lanes: 16, table_multipliers: 4}"}) {
    CASE(lanes);
    const files::Config config =
        test::small("macro: {head_dim: 32, max_keys: 24}\n" + std::string(lanes) + "\n");
    check_engines(config, test::small_trace(config));
  }
}

TEST_CASE("engines agree on records from outside behind keys, and on their cycles") {
  for (const char* more :
       {"", "microarchitecture: {key_lanes: 2, read_lanes: 4, table_multipliers: 4}",
        "quantizer: {scale: unbiased}\nexact: {first: 2, last: 3}",
        "quantizer: {kind: trellis, scale: unbiased}\nexact: {first: 1, last: 16}",
        "quantizer: {kind: trellis}\nmicroarchitecture: {key_lanes: 8}",
        "ecc: {code: hamming84, stages: 2}"})
    for (const std::size_t keys : {0, 1, 2, 7}) {
      CASE(more, keys);
      const files::Config config =
          test::small("macro: {head_dim: 32, max_keys: 24}\n" + std::string(more) + "\n");
      files::Trace trace = test::small_trace(config);
      const std::size_t bytes = static_cast<std::size_t>(config.parameters.record_bytes());
      for (std::size_t i = 0; i < (trace.key_count() - keys) * bytes; ++i)
        trace.records.push_back(static_cast<std::uint8_t>(i * i + i / 7));
      check_engines(config, trace);
    }
}

TEST_CASE("engines agree on records of two parts, some of them from outside") {
  const auto prod = [](const std::string& more) {
    return test::small(
        "macro: {head_dim: 32, max_keys: 24, index_bits: 4}\nquantizer: {kind: prod}\n" + more +
        "\n");
  };
  const std::string widest =
      "numerics: {significand_bits: 20, boundary_fraction_bits: 16, query_bits: 16, "
      "centroid_bits: 16}";
  const std::string narrow = "numerics: {significand_bits: 12, query_bits: 16, centroid_bits: 6}";
  for (const files::Config& config :
       {test::small_prod(), test::small_prod_folded(), prod(widest), prod(narrow),
        prod("microarchitecture: {key_lanes: 1, read_lanes: 1, table_multipliers: 256}"),
        test::small_split(), test::small_split_folded(), test::small_split_trellis()})
    for (const std::size_t keys : {3, 24}) {
      CASE(files::canonical_yaml(config), keys);
      files::Trace trace = test::small_trace(config);
      const auto bytes = static_cast<std::size_t>(config.parameters.record_bytes());
      for (std::size_t i = 0; i < (trace.key_count() - keys) * bytes; ++i)
        trace.records.push_back(static_cast<std::uint8_t>(i * i + i / 7));
      check_engines(config, trace);
    }
}

TEST_CASE("engines agree behind every code, codewords included") {
  for (const char* ecc :
       {"{code: hamming74, scrub_interval: 3}", "{code: hamming84, stages: 2}",
        "{code: golay24, stages: 1}", "{code: golay24, decoder: rom, scrub_interval: 50}",
        "{code: hsiao_72_64, stages: 4, scrub_interval: 1}", "{code: hsiao_22_16}"}) {
    CASE(ecc);
    const files::Config config = test::small(
        "macro: {head_dim: 32, max_keys: 24}\n"
        "microarchitecture: {key_lanes: 8, read_lanes: 8}\necc: " +
        std::string(ecc) + "\n");
    const files::Trace trace = test::small_trace(config);
    const files::Result golden = run::golden(config, trace);
    const Code code = make_code(config.ecc.code);
    const auto bits = static_cast<std::size_t>(config.parameters.record_bits());
    CHECK(golden.codewords.size() == trace.key_count() * code.codeword_bytes(bits));
    check_engines(config, trace);
  }
}

TEST_CASE("engines agree at the corners of the numerics") {
  for (const char* numerics :
       {"{significand_bits: 12, boundary_fraction_bits: 10, query_bits: 6, centroid_bits: 6}",
        "{significand_bits: 20, boundary_fraction_bits: 16, query_bits: 16, centroid_bits: 16}",
        "{significand_bits: 12, query_bits: 16, codebook: beta}"})
    for (const char* macro : {"{head_dim: 32, index_bits: 2, max_keys: 25, element_format: bf16}",
                              "{head_dim: 32, index_bits: 4, max_keys: 24}"}) {
      CASE(numerics, macro);
      const files::Config config =
          test::small("macro: " + std::string(macro) + "\nnumerics: " + numerics + "\n");
      check_engines(config, test::small_trace(config));
    }
}

TEST_CASE("empty traces give empty tensors on both engines") {
  const files::Config config = test::small_parallel();
  files::Trace trace = test::small_trace(config);
  files::Trace no_keys = trace, no_queries = trace, nothing = trace;
  no_keys.keys.clear();
  no_queries.queries.clear();
  nothing.keys.clear();
  nothing.queries.clear();
  for (const files::Trace& empty : {no_keys, no_queries, nothing}) {
    CASE(empty.keys.size(), empty.queries.size());
    check_engines(config, empty);
  }
}

TEST_CASE("a second run finds its model in the cache") {
  const files::Config config = test::small_parallel();
  build_model(rtl::generate_observed(config), {});
  bool built = false;
  BuildOptions options;
  options.progress = [&](const std::string&) { built = true; };
  build_model(rtl::generate_observed(config), options);
  CHECK_FALSE(built);
}

TEST_CASE("the paper's macro on the bundled trace") {
  const files::Config config = files::read_config(kProject + "/configs/paper-d128-b3.yaml");
  check_engines(config,
                files::read_trace(kProject + "/traces/byte-llama-d128.safetensors",
                                  config.parameters, config.max_keys),
                true);
}

TEST_CASE("the paper's macro on 4096 keys and on Qwen3" * test::needs_data) {
  const std::string data = test::data();
  const files::Config config = files::read_config(kProject + "/configs/paper-d128-b3.yaml");
  check_engines(config,
                files::read_trace(data + "/traces/byte-llama-d128-4096.safetensors",
                                  config.parameters, config.max_keys),
                true);

  const auto qwen =
      files::Safetensors::read(data + "/traces/qwen3-0.6b-layer8-attention.safetensors");
  files::Trace trace;
  trace.keys = to_half(qwen.at("key_states"));
  trace.queries = to_half(qwen.at("query_states"));
  REQUIRE(trace.key_count() == 2 * 16 * 8);
  check_engines(config, trace, true);
}

}  // namespace axelram::sim
