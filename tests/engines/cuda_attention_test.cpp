// The whole attention of a trace by the emulated CUDA kernels, against golden.
#include <algorithm>

#include "axelram/files/result.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/run/golden.hpp"
#include "check.hpp"
#include "cuda/cuda.hpp"

namespace {

using namespace axelram;
using namespace axelram::files;
using Kind = SegmentCommand::Kind;

Config config_of(const std::string& more) {
  return parse_config("macro: {head_dim: 32, max_keys: 12}\n" + more, "c.yaml", "");
}

/// A Gaussian trace whose values are those of another one; the first value is zero.
Trace trace_of(const Config& config, std::size_t tokens, std::size_t queries) {
  Trace trace = run::gaussian_trace(config.parameters, tokens, queries, 5);
  trace.values = run::gaussian_trace(config.parameters, tokens, 0, 6).keys;
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  std::fill_n(trace.values->begin(), std::min(tokens, std::size_t{1}) * d, std::uint16_t{0});
  return trace;
}

/// The configuration with exponents, other ones for each rotation.
Config balanced(Config config) {
  config.parameters.balanced = true;
  const auto fill = [&](HeadRotation* rotation, int first) {
    for (int i = 0; i < config.parameters.head_dim; ++i)
      rotation->balance.push_back(static_cast<std::int8_t>((i * 5 + first) % 16 - 8));
  };
  int number = 0;
  fill(&config.head_rotation, number++);
  for (RotationRow& row : config.further_rotations) fill(&row.rotation, number++);
  return config;
}

/// As the configuration is, and balanced.
void check_equal(const Config& as_it_is, const Trace& trace) {
  for (const Config& config : {as_it_is, balanced(as_it_is)}) {
    CASE(config.parameters.balanced);
    const Result golden = run::golden_attention(config, trace).result;
    CHECK(first_difference(golden, engines::run_cuda(config, trace).result) == std::nullopt);
  }
}

}  // namespace

TEST_CASE("cuda: the attention of every kind of macro is golden's") {
  for (const std::string more :
       {"attention: {}", "attention: {group: 4, output: fp32, weight_bits: 28}",
        "attention: {}\nquantizer: {kind: trellis}\necc: {code: hamming84}",
        "attention: {}\nquantizer: {scale: unbiased}\nexact: {first: 2, last: 3}",
        "attention: {group: 2}\nquantizer: {kind: trellis, scale: unbiased, states: 16}\n"
        "exact: {last: 1}\necc: {code: golay24}"}) {
    CASE(more);
    const Config config = config_of(more);
    for (const std::size_t tokens : {0U, 1U, 11U})
      for (const std::size_t queries : {0U, 5U}) {
        CASE(tokens, queries);
        check_equal(config, trace_of(config, tokens, queries));
      }
  }
  for (const char* d : {"64", "128", "256"}) {
    CASE(d);
    const Config config = parse_config(std::string("macro: {head_dim: ") + d +
                                           ", element_format: bf16, index_bits: 4}\nattention: {}",
                                       "c.yaml", "");
    check_equal(config, trace_of(config, 20, 3));
  }
}

TEST_CASE("cuda: segments that wrap, evict, are rejected and freed, with rotations of their own") {
  const Config config = config_of(
      "attention: {group: 2}\nstore: {segments: 3, rotations: 2}\n"
      "quantizer: {scale: unbiased}\nexact: {first: 1, last: 2}");
  Trace trace = trace_of(config, 14, 10);
  trace.commands = {{Kind::allocate, 0, {0, 4, 1, 0, true}},
                    {Kind::allocate, 1, {4, 3, 0, 1, false}},
                    {Kind::allocate, 1, {7, 3, 0, 1, false}},  // it is not free
                    {Kind::attend, 0}};                        // it is empty
  for (int t = 0; t < 6; ++t) trace.commands->push_back({Kind::append, 0});
  trace.commands->push_back({Kind::attend, 0});
  for (int t = 0; t < 4; ++t) trace.commands->push_back({Kind::append, 1});  // the last is rejected
  trace.commands->push_back({Kind::attend, 1});
  trace.commands->push_back({Kind::append, 2});  // the segment is free
  trace.commands->push_back({Kind::attend, 2});
  trace.commands->push_back({Kind::evict, 0, {}, 2});
  trace.commands->push_back({Kind::append, 0});
  trace.commands->push_back({Kind::free, 1});
  trace.commands->push_back({Kind::allocate, 1, {4, 8, 0, 0, false}});
  trace.commands->push_back({Kind::append, 1});
  trace.commands->push_back({Kind::append, 1});
  trace.commands->push_back({Kind::attend, 0});
  check_equal(config, trace);
  trace.commands->push_back({Kind::free, 0});
  check_equal(config, trace);
}
