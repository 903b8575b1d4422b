#include "axelram/rtl/layout.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "report_lines.hpp"

namespace axelram::sim {
namespace {

void add_run(const std::string& prefix, const rtl::Layout& layout, std::uint64_t keys,
             std::uint64_t queries, Section* section) {
  const Cycles cycles = cycle_model(layout, keys, queries);
  const std::string sizes = std::to_string(keys) + " keys, " + std::to_string(queries) + " queries";
  section->count(prefix + "_write_cycles", cycles.write, "cycles",
                 "first beat of a key to the last record stored; " + sizes);
  section->count(prefix + "_rotate_cycles", cycles.rotate, "cycles",
                 "first beat of a query to its table's start, summed; " + sizes);
  section->count(prefix + "_build_cycles", cycles.build, "cycles", "tables; " + sizes);
  section->count(prefix + "_read_cycles", cycles.read, "cycles", "lookups; " + sizes);
  section->count(prefix + "_total_cycles", cycles.total, "cycles",
                 "first beat to the last score; writing overlaps the first query; " + sizes);
}

}  // namespace

void add_cycles(const files::Config& config, const std::optional<files::Trace>& trace,
                Lines* lines) {
  const rtl::Layout layout(config);
  Section one(lines, "cycles of one vector (streams never pause)");
  one.count("key_interval_cycles", layout.rows, "cycles", "a key every so many: beats of a vector");
  one.count("key_store_latency_cycles", layout.store_cycles, "cycles",
            "last beat of a key to its record in the SRAM");
  one.count("query_rotate_latency_cycles", layout.rotate_cycles, "cycles",
            "last beat of a query to its last row in the query buffer");
  one.count("table_build_latency_cycles", layout.build_cycles, "cycles",
            "d * 2^b / table_multipliers");
  one.count("key_read_interval_cycles", layout.read_rows, "cycles",
            "a score every so many: d / read_lanes");
  one.count("score_latency_cycles", layout.read_latency, "cycles",
            "SRAM read of a key to its score at the output");

  Section full(lines, "cycles of a full store, one query");
  add_run("full_store", layout, static_cast<std::uint64_t>(config.max_keys), 1, &full);
  if (trace) {
    Section section(lines, "cycles of the trace");
    add_run("trace", layout, trace->key_count(), trace->query_count(), &section);
  }
}

}  // namespace axelram::sim
