#include <bit>
#include <cstdint>
#include <sstream>
#include <vector>

#include "axelram/macro.hpp"
#include "generator_internal.hpp"
#include "lists.hpp"
#include "test_bench_parts.hpp"

namespace axelram::rtl {
namespace {

constexpr std::size_t kKeys = 24, kQueries = 5;

/// A trace as the lines of two memory files, with golden's final state.
struct Expected {
  std::string beats, scores;
  std::size_t beat_count = 0, score_count = 0, keys = 0;
  MacroCounters counters;
};

void add_beats(const std::vector<std::uint16_t>& elements, bool query, int lanes,
               Expected* expected) {
  const auto width = static_cast<std::size_t>(lanes);
  for (std::size_t first = 0; first < elements.size(); first += width) {
    expected->beats += (query ? "1" : "0") + hex_of(elements.data() + first, width) + "\n";
    ++expected->beat_count;
  }
}

Expected expect(const files::Config& config) {
  Macro macro(config.parameters, config.head_rotation, config.center,
              static_cast<std::size_t>(config.max_keys), files::protection(config.ecc));
  const int lanes = config.microarchitecture.key_lanes;
  BenchVectors vectors(config.parameters, {9, kKeys + 2});
  Expected expected;
  for (std::size_t i = 0; i < kKeys + kQueries; ++i) {
    const std::vector<std::uint16_t> elements = vectors.next();
    const bool query = i >= kKeys || i == 2;  // one among the keys
    add_beats(elements, query, lanes, &expected);
    if (!query) {
      macro.write(elements.data());
      continue;
    }
    const QueryResult result = macro.query(elements.data());
    for (std::size_t k = 0; k < result.scores.size(); ++k) {
      const auto bits = std::bit_cast<std::uint32_t>(result.scores[k]);
      expected.scores += hex(k + 1 == result.scores.size(), 4) + hex(bits, 32) + "\n";
      ++expected.score_count;
    }
  }
  expected.keys = macro.size();
  expected.counters = macro.counters();
  return expected;
}

/// Of the macro in its test bench.
std::vector<Connection> connections(const Layout& layout) {
  std::vector<Connection> all = {{"clk_i", "clk"},
                                 {"rst_ni", "rst_n"},
                                 {"vector_valid_i", "valid"},
                                 {"vector_ready_o", "ready"},
                                 {"vector_query_i", "beats[beat][Lanes*16]"},
                                 {"vector_record_i", "1'b0"},
                                 {"vector_data_i", "beats[beat][Lanes*16-1:0]"},
                                 {"score_valid_o", "score_valid"},
                                 {"score_ready_i", "score_ready"},
                                 {"score_data_o", "score"},
                                 {"score_last_o", "score_last"},
                                 {"score_saturated_o", "score_saturated"},
                                 {"clear_valid_i", "1'b0"},
                                 {"clear_ready_o", "clear_ready"},
                                 {"key_count_o", "key_count"},
                                 {"busy_o", "busy"},
                                 {"query_done_o", "query_done"},
                                 {"errors_clear_i", "1'b0"},
                                 {"errors_o", "errors"},
                                 {"error_counts_o", "error_counts"}};
  if (layout.code)
    all.insert(all.end(), {{"ecc_load_i", "1'b0"},
                           {"ecc_erasure_i", "2'd0"},
                           {"ecc_write_back_i", "1'b0"},
                           {"ecc_counts_o", "code_counts"},
                           {"ecc_first_valid_o", "code_first"},
                           {"ecc_first_address_o", "code_address"},
                           {"inject_load_i", "load"},
                           {"inject_mode_i", "2'd3"},
                           {"inject_mask_i", std::to_string(layout.stored_bits) + "'d1"},
                           {"inject_armed_o", "armed"}});
  return all;
}

}  // namespace

std::vector<GeneratedFile> test_bench_files(const Design& design) {
  if (design.config.attention.given) return attention_test_bench_files(design);
  const Expected expected = expect(design.config);
  const std::string& name = design.prefix;
  const int lanes = design.config.microarchitecture.key_lanes;
  const int errors = design.layout.errors;
  const bool coded = design.layout.code.has_value();
  const MacroCounters& c = expected.counters;
  std::ostringstream text;
  text << "/// Self-checking test bench of " << name
       << "_top:\n/// a short trace with random stalls. Scores, keys and error counters must be "
          "those "
          "of\n/// vectors/, which the C++ model computed."
       << (coded ? "\n/// In every record read one bit is inverted, which the code corrects." : "")
       << "\n`timescale 1ns / 1ps\n\nmodule " << name
       << "_tb #(\n"
          "    parameter bit Finish = 1'b1  // 0: several test benches run together\n"
          ");\n"
          "  localparam int Beats = "
       << expected.beat_count << ";\n  localparam int Scores = " << expected.score_count
       << ";\n  localparam int Lanes = " << lanes << ";\n  localparam int Cycles = "
       << 64 * (expected.beat_count + expected.score_count) +
              static_cast<std::size_t>(design.layout.reset_cycles) + 100000 +
              8 * (kQueries + 1) *
                  static_cast<std::size_t>(design.layout.build_cycles + design.layout.read_latency)
       << ";\n"
          "  logic clk, rst_n, done;\n"
          "  logic [Lanes*16+3:0] beats[0:Beats-1];\n"
          "  logic [35:0] scores[0:Scores-1];\n"
          "  initial begin\n"
          "    $readmemh(\"vectors/"
       << name << "_beats.hex\", beats);\n    $readmemh(\"vectors/" << name
       << "_scores.hex\", scores);\n"
          "    clk = 1'b0;\n"
          "    done = 1'b0;\n"
          "    rst_n = 1'b1;\n"
          "    #2 rst_n = 1'b0;\n"
          "    #50 rst_n = 1'b1;\n"
          "  end\n"
          "  always #5 clk = !clk;\n\n"
          "  logic valid, ready, taken, score_valid, score_ready, score_last, score_saturated, "
          "busy;\n"
          "  logic clear_ready, query_done;\n"
          "  logic [31:0] score;\n"
          "  logic ["
       << errors - 1 << ":0] errors;\n  logic [" << 32 * errors - 1
       << ":0] error_counts;\n"
          "  logic ["
       << design.layout.count_bits - 1 << ":0] key_count;\n";
  if (coded)
    text << "  logic [127:0] code_counts;\n"
            "  logic code_first, armed, load;\n"
            "  logic ["
         << design.layout.address_bits - 1 << ":0] code_address;\n";
  text << "  int beat, got, quiet, cycle;\n"
          "  logic [31:0] lfsr;\n"
       << instance_text(name + "_top", "u_top", {}, connections(design.layout));
  text
      << "\n"
         "  task fail(input string what);\n"
         "    $display(\""
      << name
      << "_tb: FAIL, cycle %0d: %s\", cycle, what);\n"
         "    $fatal(1);\n"
         "  endtask\n\n"
         "  // Inputs change at the falling edge and hold until they are accepted.\n"
         "  initial begin\n"
         "    {valid, taken, score_ready, beat, got, quiet, cycle} = '0;\n"
         "    lfsr = 32'h1;\n"
      << (coded ? "    load = 1'b0;\n" : "")
      << "  end\n"
         "  always @(negedge clk) begin\n"
         "    lfsr = {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};\n"
         "    if (taken || !valid) begin\n"
         "      if (taken) beat = beat + 1;\n"
         "      valid = rst_n && beat < Beats && lfsr[1:0] != 2'd0"
      << (coded ? " && armed" : "")
      << ";\n"
         "    end\n"
         "    score_ready = lfsr[4:3] != 2'd0;\n"
      << (coded ? "    load = rst_n && !armed && !busy;\n" : "")
      << "  end\n\n"
         "  always @(posedge clk) begin\n"
         "    cycle <= cycle + 1;\n"
         "    taken <= rst_n && valid && ready;\n"
         "    quiet <= (beat == Beats && got == Scores && busy === 1'b0) ? quiet + 1 : 0;\n"
         "    if (rst_n) begin\n"
         "      if (^{ready, score_valid, busy, query_done, clear_ready} === 1'bx)\n"
         "        fail(\"an unknown handshake\");\n"
         "      if (score_valid && score_ready) begin\n"
         "        if (got == Scores) fail(\"a score too many\");\n"
         "        else if (scores[got] !== {3'd0, score_last, score}) fail(\"a wrong score\");\n"
         "        got <= got + 1;\n"
         "      end\n"
         "    end\n"
         "    if (quiet == 20 && !done) begin\n"
         "      if (key_count !== "
      << design.layout.count_bits << "'d" << expected.keys
      << ") fail(\"a wrong number of keys\");\n"
         "      if (error_counts !== "
      << error_counts({c.keys_nonfinite, c.queries_nonfinite, c.keys_full, c.norms_saturated,
                       c.scores_saturated, c.scales_refused},
                      errors)
      << ")\n        fail(\"a wrong error counter\");\n"
         "      for (int e = 0; e < "
      << errors
      << "; e++)\n"
         "        if (errors[e] !== (error_counts[e*32+:32] != 0)) fail(\"a wrong error flag\");\n";
  if (coded)
    text
        << "      if (code_counts[31:0] === 32'd0 || code_counts[95:64] !== 32'd0 || !code_first)\n"
           "        fail(\"wrong counters of the code\");\n";
  text << "      $display(\"" << name
       << "_tb: PASS, %0d keys, %0d scores, %0d cycles\",\n"
          "               key_count, got, cycle);\n"
          "      done <= 1'b1;\n"
          "      if (Finish) $finish;\n"
          "    end\n"
          "    if (cycle == Cycles && !done) fail(\"no end\");\n"
          "  end\n"
          "endmodule\n";
  return {{"tb/" + name + "_tb.sv",
           "// Generated by axelram: change the configuration, not this file.\n" + text.str()},
          {"vectors/" + name + "_beats.hex", expected.beats},
          {"vectors/" + name + "_scores.hex", expected.scores}};
}

}  // namespace axelram::rtl
