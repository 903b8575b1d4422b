#include "macro/attention.hpp"

#include <vector>

#include "accuracy/accuracy_lines.hpp"
#include "axelram/fast.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/report/output_accuracy.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "counts/codes.hpp"
#include "counts/counts.hpp"
#include "lines/paper.hpp"
#include "sram/key_store.hpp"

namespace axelram::report {
namespace {

constexpr double kKibibyte = 1024;

/// Score, norm of the key, softmax scale, power and norm of the value (bit-contract.md#logit,
/// bit-contract.md#power-of-two, bit-contract.md#weight).
constexpr std::uint64_t kPerToken = 4;

void add_attention_operations(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const auto d = static_cast<std::uint64_t>(p.head_dim);
  const auto tokens = static_cast<std::uint64_t>(config.max_keys);
  const auto products = static_cast<std::uint64_t>(p.levels()) / 2;
  const auto table = static_cast<std::uint64_t>(table_entries(config));
  const Paper paper(config);

  Section section(lines, "attention of a query head at T = max_keys = " + std::to_string(tokens));
  section.count("conventional_attention_multiplications", 2 * tokens * d, "multiplications",
                "2 * T * d: inner products, and values times weights");
  const auto copies = static_cast<std::uint64_t>(p.copies());
  const std::uint64_t all = table + tokens * (kPerToken + products) + d + copies * d;
  section.count("attention_multiplications", all, "multiplications",
                entries_text(config) + " + T * (4 + " + std::to_string(products) +
                    ") + d: table, norm of the key, softmax scale, power, norm of the value, "
                    "weight times the words of half the levels, outputs" +
                    (copies > 0 ? "; and d for each copy of an exact token" : ""));
  section.figure("attention_multiplication_reduction",
                 static_cast<double>(2 * tokens * d) / static_cast<double>(all), "x",
                 Method::counted, "the whole attention; the paper's 102.4 are of scores alone");
  section.count("divisions_per_query", 1, "divisions", "25 steps; a reciprocal for all outputs");
  section.count("value_selections_per_token", d, "selections",
                "of a product with the token's weight, one per coordinate");
  section.count("value_additions_per_token", d, "additions", "of shifted sums, at most");
  const std::uint64_t levels = 2 * products;
  section.figure(
      "value_multiplication_reduction_by_level",
      static_cast<double>(tokens * d) / static_cast<double>(tokens + d * levels), "x",
      Method::counted,
      "of the values alone, with a sum for each level and channel: not built, since every sum is "
      "rescaled when the maximum rises",
      paper.at_4096_keys(102.4));
}

void add_attention_memory(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  const rtl::Layout layout(config);
  const int stored = (layout.stored_bits + 7) / 8;
  Section section(lines, "memory");
  section.count("bytes_per_token", 2 * p.record_bytes(), "bytes",
                "records of a key and of a value");
  if (config.ecc.code != "none")
    section.count("stored_bytes_per_token", 2 * stored, "bytes", "codewords of both");
  section.count("bytes_per_token_uncompressed", 4 * p.head_dim, "bytes", "2 * d 16-bit floats");
  section.figure("token_store", 2.0 * config.max_keys * stored / kKibibyte, "KiB", Method::counted,
                 "two SRAMs of max_keys records each");
  section.count("table_memory",
                static_cast<std::uint64_t>(layout.group) *
                    static_cast<std::uint64_t>(table_entries(config) * p.product_bits()) / 8,
                "bytes",
                lanes_multiply(config) ? "no table: the read lanes multiply"
                                       : "a table for each head of the group");
  section.count("sum_bits", static_cast<std::uint64_t>(layout.sum_bits), "bits",
                "FW + WC + log2 max_keys, a channel and head");
  section.count("sums_memory",
                static_cast<std::uint64_t>(layout.group) * static_cast<std::uint64_t>(p.head_dim) *
                    static_cast<std::uint64_t>(layout.sum_bits),
                "bits", "d sums for each head of the group");
  section.count("rotation_memory",
                static_cast<std::uint64_t>(config.store.rotations) *
                    static_cast<std::uint64_t>(p.head_dim * layout.rotation_bits) / 8,
                "bytes",
                std::string(p.centered   ? p.balanced ? "signs, exponents and a center a row"
                                                      : "signs and a center a row"
                            : p.balanced ? "signs and exponents, 5 d bits a row"
                                         : "signs, d bits a row") +
                    (layout.rotation_ram ? ", in SRAM and once more in ROM" : ", in ROM"));
  if (p.copies() > 0)
    section.count("copy_memory",
                  static_cast<std::uint64_t>(layout.copy_slots) *
                      static_cast<std::uint64_t>(p.head_dim * p.exact_bits + 12),
                  "bits", "S + R copies of keys for each segment, and a free place");
}

void add_attention_cycles(const files::Config& config, const std::optional<files::Trace>& trace,
                          Lines* lines) {
  const rtl::Layout layout(config);
  const auto group = static_cast<std::uint64_t>(layout.group);
  const auto tokens = static_cast<std::uint64_t>(config.max_keys);
  const auto run = [&](const char* prefix, std::uint64_t t, std::uint64_t groups,
                       Section* section) {
    const sim::Cycles cycles = sim::attention_cycle_model(layout, t, groups);
    const std::string name = prefix;
    section->count(name + "_write_cycles", cycles.write, "cycles", "all tokens stored");
    section->count(name + "_rotate_cycles", cycles.rotate, "cycles", "groups of queries");
    section->count(name + "_build_cycles", cycles.build, "cycles", "tables, all heads at once");
    section->count(name + "_read_cycles", cycles.read, "cycles", "a key and a value together");
    section->count(name + "_tail_cycles", cycles.tail, "cycles", "last read to last output");
    section->count(name + "_total_cycles", cycles.total, "cycles", "first beat to last output");
    return cycles;
  };
  Section one(lines, "cycles without stalls");
  one.count("token_interval_cycles", static_cast<std::uint64_t>(layout.token_interval), "cycles",
            "cycles between two tokens");
  one.count("token_read_interval_cycles", static_cast<std::uint64_t>(layout.read_rows), "cycles",
            "cycles between two tokens of a group: d / read_lanes");
  one.count("attention_tail_cycles", static_cast<std::uint64_t>(layout.tail_cycles), "cycles",
            "last read of a group to its last output");
  Section full(lines, "cycles of a full store, one group of " + std::to_string(group));
  const sim::Cycles cycles = run("full_store", tokens, 1, &full);
  const std::uint64_t of_group = cycles.rotate + cycles.build + cycles.read + cycles.tail;
  full.figure("full_store_cycles_per_token",
              static_cast<double>(of_group) / static_cast<double>(tokens), "cycles",
              Method::counted, "of the group: for " + std::to_string(group) + " heads");
  if (!trace || trace->commands) return;
  Section section(lines, "cycles of the trace");
  run("trace", trace->key_count(), (trace->query_count() + group - 1) / group, &section);
}

void add_attention_accuracy(const files::Config& config, const files::Trace& trace, Lines* lines) {
  Section section(lines, "accuracy on the trace");
  const std::string of_records = "FP64 attention over the same scores and records of values";
  const std::string of_floats = "FP64 attention over the keys and values of the trace";
  const auto missing = [&](const std::string& why) {
    for (const char* name : {"trace_output_records", "trace_output_floats"})
      for (const char* figure : {"_relative_rms_error", "_max_abs_error"})
        section.missing(name + std::string(figure), figure[1] == 'r' ? "ratio" : "output", why);
  };
  if (trace.commands) return missing("the trace has commands: what a query sees differs");
  const files::Result result = run::golden_attention(config, trace, fast_units()).result;
  const auto add = [&](const char* name, const OutputAccuracy& accuracy,
                       const std::string& against) {
    section.figure(name + std::string("_relative_rms_error"), accuracy.relative_rms_error, "ratio",
                   Method::measured, "outputs against " + against);
    section.figure(name + std::string("_max_abs_error"), accuracy.max_abs_error, "output",
                   Method::measured, "outputs against " + against);
  };
  if (config.parameters.trellis()) {
    section.missing("trace_output_records_relative_rms_error", "ratio",
                    "a result has no levels of values");
    section.missing("trace_output_records_max_abs_error", "output",
                    "a result has no levels of values");
  } else {
    add("trace_output_records", accuracy_over_records(config, result), of_records);
  }
  add("trace_output_floats", accuracy_over_floats(config, trace, result), of_floats);
}

}  // namespace

std::vector<Line> attention_report(const files::Config& config,
                                   const std::optional<files::Trace>& trace,
                                   const MappedDesign* mapped) {
  Lines lines;
  add_operations(config, &lines);
  add_attention_operations(config, &lines);
  add_attention_memory(config, &lines);
  add_key_store(config, &lines);
  add_cells(mapped, &lines);
  add_attention_cycles(config, trace, &lines);
  add_codes(config, false, &lines);
  add_gaussian_accuracy(config, &lines);
  if (trace) add_attention_accuracy(config, *trace, &lines);
  return lines;
}

}  // namespace axelram::report
