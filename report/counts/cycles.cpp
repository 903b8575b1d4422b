#include "axelram/rtl/layout.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "counts/counts.hpp"

namespace axelram::report {
namespace {

void add_run(const std::string& prefix, const files::Config& config, std::uint64_t keys,
             std::uint64_t queries, Section* section) {
  const rtl::Layout layout(config);
  const bool multiply = lanes_multiply(config);
  const sim::Cycles cycles = sim::cycle_model(layout, {keys, 0}, queries);
  const std::string sizes = std::to_string(keys) + " keys, " + std::to_string(queries) + " queries";
  section->count(prefix + "_write_cycles", cycles.write, "cycles",
                 "first beat of a key to the last record stored; " + sizes);
  section->count(prefix + "_rotate_cycles", cycles.rotate, "cycles",
                 std::string("first beat of a query to the start of its ") +
                     (multiply ? "products" : "table") + ", summed; " + sizes);
  section->count(prefix + "_build_cycles", cycles.build, "cycles",
                 (multiply ? "between queries and their reads; " : "tables; ") + sizes);
  section->count(prefix + "_read_cycles", cycles.read, "cycles",
                 (multiply                 ? "products; "
                  : layout.copy_cycles > 0 ? "lookups, and waits for copies; "
                                           : "lookups; ") +
                     sizes);
  section->count(prefix + "_total_cycles", cycles.total, "cycles",
                 "first beat to the last score; writing overlaps the first query; " + sizes);
}

}  // namespace

void add_cycles(const files::Config& config, const std::optional<files::Trace>& trace,
                Lines* lines) {
  const rtl::Layout layout(config);
  Section one(lines, "cycles of one vector (no stalls)");
  one.count("key_interval_cycles", layout.key_interval, "cycles",
            layout.second_pass > 0 ? "cycles between two keys: both passes of a key"
            : config.parameters.split()
                ? "cycles between two keys: 2 * rows - 1, or the search of a trellis, d/2 + 4"
            : layout.key_wait > 0 ? "cycles between two keys: the search of a trellis, d + 4"
                                  : "cycles between two keys: beats of a vector");
  one.count("key_store_latency_cycles", layout.store_cycles, "cycles",
            "last beat of a key to its record in the SRAM");
  if (layout.clock_cycles > 0)
    one.count("write_clock_cycles", layout.rows + layout.clock_cycles, "cycles",
              "in which the write path has a clock for a vector alone: its beats, and up to the "
              "record of a key");
  one.count("record_interval_cycles", layout.beats, "cycles",
            "cycles between two records from outside: beats of a record");
  one.count("record_store_latency_cycles", 1 + layout.encode_cycles, "cycles",
            "last beat of a record from outside, behind no key on its way, to the SRAM");
  one.count("query_rotate_latency_cycles", layout.rotate_cycles, "cycles",
            "last beat of a query to its last row in the query buffer");
  one.count("table_build_latency_cycles", layout.build_cycles, "cycles",
            (lanes_multiply(config)      ? "no table: a state of the sequencer"
             : config.parameters.split() ? "the larger table / table_multipliers"
                                         : entries_text(config) + " / table_multipliers") +
                (layout.second_pass > 0 ? ", or d / read_lanes for the total of v" : ""));
  one.count("key_read_interval_cycles", layout.read_rows, "cycles",
            "cycles between two scores: d / read_lanes");
  one.count("score_latency_cycles", layout.read_latency, "cycles",
            "SRAM read of a key to its score at the output");

  Section full(lines, "cycles of a full store, one query");
  add_run("full_store", config, static_cast<std::uint64_t>(config.max_keys), 1, &full);
  if (trace) {
    Section section(lines, "cycles of the trace");
    add_run("trace", config, trace->key_count(), trace->query_count(), &section);
  }
}

}  // namespace axelram::report
