// The report of a macro with attention: closed forms, and what the integers behind the scores cost.
#include <random>

#include "axelram/half.hpp"
#include "support.hpp"

namespace axelram::report {
namespace {

files::Config attends(const std::string& more = "") {
  return config_of("macro: {head_dim: 128, index_bits: 3, max_keys: 4096}\nattention: {group: 4" +
                   more + "}\n");
}

files::Trace gaussian(std::size_t tokens, std::size_t queries) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  files::Trace trace;
  trace.head_dim = 128;
  const auto rows = [&](std::size_t count) {
    std::vector<std::uint16_t> elements;
    for (std::size_t i = 0; i < count * 128; ++i)
      elements.push_back(double_to_element(normal(random), ElementFormat::fp16));
    return elements;
  };
  trace.keys = rows(tokens);
  trace.queries = rows(queries);
  trace.values = rows(tokens);
  return trace;
}

}  // namespace

TEST_CASE("the whole attention takes 30.9 times fewer multiplications, not the 102.4 of scores") {
  const auto lines = report(attends(), {});
  CHECK(count_of(lines, "conventional_attention_multiplications") == 1'048'576);
  CHECK(count_of(lines, "attention_multiplications") == 33'920);
  CHECK(figure_of(lines, "attention_multiplication_reduction") ==
        doctest::Approx(30.913).epsilon(1e-4));
  // What a sum for each level would make of the values alone.
  CHECK(figure_of(lines, "value_multiplication_reduction_by_level") == doctest::Approx(102.4));
  CHECK(line_of(lines, "value_multiplication_reduction_by_level").paper == 102.4);
  CHECK(count_of(lines, "bytes_per_token") == 100);
  CHECK(count_of(lines, "table_memory") == 4 * 2048);
  CHECK(count_of(lines, "sum_bits") == 40);
}

TEST_CASE("a group of four over 4096 tokens takes fewer than 4500 cycles") {
  const auto lines = report(attends(), {});
  const std::uint64_t group =
      count_of(lines, "full_store_rotate_cycles") + count_of(lines, "full_store_build_cycles") +
      count_of(lines, "full_store_read_cycles") + count_of(lines, "full_store_tail_cycles");
  CHECK(group < 4500);
  CHECK(figure_of(lines, "full_store_cycles_per_token") ==
        doctest::Approx(static_cast<double>(group) / 4096));
}

TEST_CASE("lines of a macro with attention change with what they depend on") {
  const auto before = report(attends(), {});
  const auto changed = [&](const files::Config& config, const char* name) {
    return line_of(before, name).value != line_of(report(config, {}), name).value;
  };
  CHECK(changed(attends(", weight_bits: 24"), "sum_bits"));
  CHECK(changed(attends(", weight_bits: 24"), "sums_memory"));
  CHECK(changed(attends(", output_lanes: 4"), "attention_tail_cycles"));
  CHECK(changed(attends(", output_lanes: 4"), "full_store_cycles_per_token"));
  const auto other = [](const std::string& macro, const std::string& rest) {
    return config_of("macro: {" + macro + "}\nattention: {group: 4}\n" + rest);
  };
  CHECK(changed(other("index_bits: 2", ""), "attention_multiplications"));
  CHECK(changed(other("index_bits: 2", ""), "bytes_per_token"));
  CHECK(changed(other("max_keys: 64", ""), "token_store"));
  CHECK(changed(other("head_dim: 64", ""), "bytes_per_token_uncompressed"));
  CHECK(changed(other("head_dim: 64", ""), "value_selections_per_token"));
  CHECK(changed(other("", "store: {rotations: 3}\n"), "rotation_memory"));
  CHECK(changed(other("", "microarchitecture: {read_lanes: 64}\n"), "token_read_interval_cycles"));
  CHECK(changed(other("", "microarchitecture: {key_lanes: 64}\n"), "token_interval_cycles"));
  CHECK(changed(config_of("attention: {group: 1}"), "table_memory"));
}

TEST_CASE("outputs lie within the bound of the contract over the same records") {
  const files::Trace trace = gaussian(100, 6);
  // FP16 outputs round by 2^-11 at most; FP32 ones show what the softmax and the sums cost.
  for (const auto& [output, most] : {std::pair{", output: fp16", 5e-4}, {", output: fp32", 3e-4}}) {
    CASE(output);
    const auto lines = report(attends(output), trace);
    const double error = figure_of(lines, "trace_output_records_relative_rms_error");
    CHECK(error > 1e-7);
    CHECK(error < most);
    // The quantizer costs far more.
    CHECK(figure_of(lines, "trace_output_floats_relative_rms_error") > 100 * error);
    CHECK(figure_of(lines, "trace_output_floats_relative_rms_error") < 1);
  }
}

TEST_CASE("figures that a result does not tell are n/a, with the reason") {
  files::Trace trace = gaussian(10, 4);
  trace.commands.emplace();
  trace.commands->push_back({files::SegmentCommand::Kind::allocate, 0, {0, 10}});
  trace.commands->insert(trace.commands->end(), 10, {files::SegmentCommand::Kind::append});
  trace.commands->push_back({files::SegmentCommand::Kind::attend});
  const Line line = line_of(report(attends(), trace), "trace_output_floats_relative_rms_error");
  CHECK(line.method == Method::not_available);
  CHECK(line.note.find("commands") != std::string::npos);
}

}  // namespace axelram::report
