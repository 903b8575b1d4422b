#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "counts/codes.hpp"
#include "counts/counts.hpp"
#include "lines/paper.hpp"

namespace axelram::report {
namespace {

/// Rounded up.
int log2_of(int value) {
  int n = 0;
  while ((1 << n) < value) ++n;
  return n;
}

/// Clock gates of a table of latches: one for what a step writes in a read lane.
int table_gates(const files::Config& config) {
  const files::Microarchitecture& m = config.microarchitecture;
  const int parts = rtl::Layout(config).parts;
  return sum_of_parts(config.parameters, [&](const Parameters& part, int) {
    const int read = m.read_lanes / parts, levels = files::table_levels(config, part);
    const int rows = std::max(1, m.table_multipliers / levels / read);
    const int written = std::min(m.table_multipliers, levels * rows);
    return part.head_dim * levels / written;
  });
}

/// What makes the products of a read.
void add_score_lane(const files::Config& config, Section* section) {
  const Parameters& p = config.parameters;
  const rtl::Layout layout(config);
  const Parameters part = rtl::part_parameters(p, 0);
  const int read_lanes = config.microarchitecture.read_lanes;
  const int words = layout.read_rows * files::table_levels(config, part);
  const bool multiply = lanes_multiply(config);
  const std::string none = "no table: the read lanes multiply";
  section->count("table_multipliers_in_hardware",
                 multiply ? 0 : layout.parts * config.microarchitecture.table_multipliers,
                 "multipliers",
                 multiply    ? none
                 : p.split() ? "table_multipliers for each sub-vector"
                             : "table_multipliers");
  section->count("table_memories_in_hardware", multiply ? 0 : read_lanes, "memories",
                 multiply ? none
                          : "read_lanes, of " + std::to_string(words) +
                                (p.split() ? " words each, or fewer" : " words each") +
                                (files::latch_table(config) ? ", of latches" : ""),
                 Paper(config).in_parallel(128));
  if (files::latch_table(config))
    section->count("table_clock_gates_in_hardware", table_gates(config), "clock gates",
                   "one for what a step of table_multipliers entries writes in a read lane");
  if (config.microarchitecture.score_lane == files::ScoreLane::half_table)
    section->count("lane_negators_in_hardware", read_lanes, "negators",
                   "read_lanes, of " + std::to_string(p.product_bits()) +
                       " bits: an entry of a lower level is that of an upper one");
  if (!multiply) return;
  section->count("lane_multipliers_in_hardware", read_lanes, "multipliers",
                 "read_lanes, of " + std::to_string(p.query_bits) + " x " +
                     std::to_string(p.centroid_bits) + " bits, each behind a multiplexer of " +
                     std::to_string(part.levels()) + (p.split() ? " words, or fewer" : " words"));
}

}  // namespace

// Units as the modules of rtl/ instantiate them.
void add_hardware(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const Paper paper(config);
  const rtl::Layout layout(config);
  const int key_lanes = config.microarchitecture.key_lanes;
  const int read_lanes = config.microarchitecture.read_lanes;
  const int row_stages = log2_of(layout.rows);
  const int lane_stages = layout.key_levels;
  const bool root_pipelined = layout.rows < layout.root_bits;

  Section section(lines, "units in the hardware");
  section.count("aligners_in_hardware", key_lanes * (p.centered ? 2 : 1), "shifters with rounding",
                p.centered ? "key_lanes for vectors, key_lanes for the center" : "key_lanes");
  section.count("exponent_comparators_in_hardware", key_lanes + (p.centered ? 1 : 0), "comparators",
                std::string("key_lanes - 1 in trees over a beat, and over the beats of a vector") +
                    (p.centered ? "; with the center's" : ""));
  if (p.balanced)
    section.count("exponent_adders_in_hardware", 2 * key_lanes + 1, "adders",
                  "2 * key_lanes of balance exponents: once for the largest exponent, once for the "
                  "shifts; and one behind the largest");
  if (p.centered)
    section.count("center_subtractors_in_hardware", key_lanes, "subtractors", "key_lanes");
  section.count("sign_negators_in_hardware", key_lanes, "negators", "key_lanes; diag(s)");
  section.count("butterflies_in_hardware", row_stages * key_lanes + lane_stages * key_lanes / 2,
                "butterflies",
                std::to_string(row_stages) + " row stages of key_lanes, " +
                    std::to_string(lane_stages) + " lane stages of key_lanes/2",
                paper.in_parallel(448));
  if (!p.trellis()) {
    const int comparators = key_lanes / layout.parts * layout.scaled_words;
    section.count(
        "comparators_in_hardware", comparators, "comparators",
        p.split() ? "key_lanes / 2 * (2^h + 2^l - 2)" : "key_lanes * (" + levels_text(p) + " - 1)",
        paper.in_parallel(896));
    section.count("index_adders_in_hardware", comparators - key_lanes, "adders",
                  "of at most 4 bits: an index is the number of comparators that are true");
  }
  section.count("squarers_in_hardware", key_lanes, "multipliers", "key_lanes; norm extraction");
  section.count("square_sum_adders_in_hardware", key_lanes, "adders",
                "key_lanes - 1 in the tree and the accumulator");
  section.count("square_root_stages_in_hardware",
                layout.parts * (root_pipelined ? layout.root_bits : 2), "stages",
                root_pipelined
                    ? "pipelined, one a bit of the norm"
                    : "of the first bit, and of all others: the rows of a key leave it the time");
  if (!p.trellis()) {
    const std::string words = (p.split() ? "2^h + 2^l - 1" : levels_text(p)) + " - 1";
    section.count("threshold_multipliers_in_hardware", 2 * layout.scaled_words,
                  "constant multipliers",
                  "2 * (" + words +
                      "): ROM constants times the lower and the upper half of the norm; one "
                      "constant is 0");
    section.count("threshold_adders_in_hardware", layout.scaled_words, "adders",
                  words + ", of both products");
  }
  if (layout.clock_cycles > 0)
    section.count("write_clock_gates_in_hardware", 1, "clock gates", "of the whole write path");
  section.count("query_rounders_in_hardware", key_lanes, "shifters with rounding", "key_lanes");
  add_score_lane(config, &section);
  section.count("adders_in_hardware", read_lanes - layout.parts, "adders",
                p.split() ? "two adder trees: read_lanes - 2" : "adder tree: read_lanes - 1",
                paper.in_parallel(127));
  section.count(
      "score_accumulators_in_hardware", layout.parts, "adders",
      layout.read_rows == 1 ? "adds to zero: a key is one row" : "over the rows of a key");
  section.count("norm_multipliers_in_hardware", layout.parts, "multipliers", "score times norm",
                paper.in_parallel(1));
  section.count(
      "float_rounders_in_hardware", 1 + layout.parts + interpolated_norms(config), "units",
      std::string(p.split() ? "norms to FP16, score to FP32" : "norm to FP16, score to FP32") +
          (layout.code ? ", interpolated norms to FP16" : ""));
}

// Bits that follow from the RTL. Synthesis may remove constant bits.
void add_storage(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const rtl::Layout layout(config);
  const auto bits = [](int value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t lanes = bits(config.microarchitecture.key_lanes);
  const std::uint64_t d = bits(p.head_dim);
  const std::uint64_t rotated_row = lanes * bits(layout.network_out_bits);

  const int row_stages = log2_of(layout.rows);
  std::uint64_t waiting = 0;
  std::uint64_t pipeline = 0;
  for (int stage = 0; stage < layout.network_out_bits - layout.network_bits; ++stage) {
    const std::uint64_t row = lanes * bits(layout.network_bits + stage + 1);
    pipeline += row;
    if (stage < row_stages) waiting += row * bits(layout.rows >> (stage + 1));
  }
  const int stages = layout.rows < layout.root_bits ? layout.root_bits : 1;  // with registers
  // Remainder, root, and remaining digits.
  const int root_state = (layout.root_bits + 2) + layout.root_bits + 2 * layout.root_bits;

  Section section(lines, "storage in the hardware");
  section.count("key_store_bits", bits(config.max_keys) * bits(layout.stored_bits), "bits",
                layout.code ? "SRAM: max_keys records in codewords" : "SRAM: max_keys records");
  section.count("key_store_output_bits", layout.stored_bits, "bits",
                "flip-flops: what was read last");
  section.count("align_buffer_bits", d * 16, "bits", "a vector of raw floats");
  section.count("hadamard_delay_bits", waiting, "bits", "rows that wait for their partner");
  section.count("hadamard_pipeline_bits", pipeline, "bits", "flip-flops: a row behind each stage");
  section.count("row_delay_bits", bits(layout.row_delay) * rotated_row, "bits",
                std::to_string(layout.row_delay) + " rotated rows wait for the norm");
  section.count("square_root_bits", bits(layout.parts * stages) * bits(root_state), "bits",
                "flip-flops: remainder, root and digits to come");
  section.count("record_register_bits", p.record_bits(), "bits", "flip-flops: record being packed");
  section.count("record_input_bits", bits(p.record_bits()) + bits(layout.beats - 1) * lanes * 16,
                "bits", "flip-flops: a record from outside, and its beats before the last");
  section.count("query_buffer_bits", d * bits(p.query_bits), "bits",
                lanes_multiply(config) ? "flip-flops: query, an operand of every product"
                                       : "flip-flops: query waiting for its table");
  section.count("table_bits", bits(table_entries(config)) * bits(p.product_bits()), "bits",
                lanes_multiply(config) ? "no table: the read lanes multiply"
                                       : (files::latch_table(config) ? "latches: " : "") +
                                             entries_text(config) + " entries");
  if (files::latch_table(config))
    section.count("table_enable_bits", table_gates(config), "bits",
                  "latches: one in each clock gate of the table");
  if (layout.clock_cycles > 0) {
    section.count("write_clock_bits", log2_of(layout.clock_cycles + 1), "bits",
                  "flip-flops: cycles for which the write path still has a clock");
    section.count("write_enable_bits", 1, "bits", "a latch in the clock gate of the write path");
  }
  section.count("score_fifo_bits", bits(layout.fifo_depth) * 34, "bits",
                std::to_string(layout.fifo_depth) + " scores with two flags");
}

}  // namespace axelram::report
