#include "axelram/sim/timing_diagram.hpp"

#include <algorithm>

#include "axelram/rtl/layout.hpp"

namespace axelram::sim {
namespace {

constexpr std::uint64_t kBehind = 2;  // cycles shown behind the last event

std::uint64_t cycles_of(int value) { return static_cast<std::uint64_t>(value); }

/// A bit that is 1 in the cycles first .. last.
Span high(std::uint64_t first, std::uint64_t last) { return {first, last, "1"}; }

std::string count_text(const std::string& what, std::uint64_t count) {
  return what + ": " + std::to_string(count) + (count == 1 ? " cycle" : " cycles");
}

/// Cycles in which tokens 0, 1, ... are read, from the first cycle of the reads.
std::vector<std::uint64_t> reads_of(const rtl::Layout& layout, std::uint64_t tokens) {
  const std::uint64_t newest = std::min(tokens, cycles_of(layout.exact_last));
  std::uint64_t copied = cycles_of(layout.copy_latency);  // accumulator of the copy before
  std::uint64_t next = 0;
  std::vector<std::uint64_t> reads;
  for (std::uint64_t t = 0; t < tokens; ++t) {
    const bool exact = t < cycles_of(layout.exact_first) || t >= tokens - newest;
    if (exact) copied += cycles_of(layout.copy_cycles);
    reads.push_back(exact ? std::max(next, copied) : next);
    next = reads.back() + cycles_of(layout.read_rows);
  }
  return reads;
}

}  // namespace

std::uint64_t timing_keys(const files::Config& config) {
  return std::min<std::uint64_t>(3, static_cast<std::uint64_t>(config.max_keys));
}

TimingDiagram write_timing(const files::Config& config) {
  const rtl::Layout layout(config);
  const std::uint64_t keys = std::min<std::uint64_t>(2, timing_keys(config));
  const std::uint64_t rows = cycles_of(layout.rows), interval = cycles_of(layout.key_interval);
  const std::uint64_t wait = cycles_of(layout.key_wait), store = cycles_of(layout.store_cycles);
  Signal valid{"vector_valid_i", true, {}}, ready{"vector_ready_o", true, {}};
  Signal data{"vector_data_i", false, {}}, record{"obs_record_valid_o", true, {}};
  Signal count{"key_count_o", false, {}}, busy{"busy_o", true, {}};
  const std::uint64_t last = interval * (keys - 1) + rows - 1;  // beat
  const std::uint64_t cycles = last + store + 1 + kBehind;
  std::uint64_t free = 0, counted = 0;  // first cycle of a ready stream; of this count
  for (std::uint64_t k = 0; k < keys; ++k) {
    const std::uint64_t end = interval * k + rows - 1, stored = end + store;
    // A key that waits offers its first beat.
    data.spans.push_back({k == 0 ? 0 : end + 1 - interval, end, "k" + std::to_string(k)});
    if (wait > 0) {
      ready.spans.push_back(high(free, end));
      free = end + wait + 1;
    }
    record.spans.push_back(high(stored, stored));
    count.spans.push_back({counted, stored, std::to_string(k)});
    counted = stored + 1;
  }
  valid.spans.push_back(high(0, last));
  if (free < cycles) ready.spans.push_back(high(free, cycles - 1));
  count.spans.push_back({counted, cycles - 1, std::to_string(keys)});
  busy.spans.push_back(high(1, last + store));

  TimingDiagram diagram{cycles, {valid, ready, data, record, count, busy}, {}};
  if (keys > 1) diagram.periods.push_back({0, interval, count_text("next key", interval)});
  diagram.periods.push_back({rows - 1, rows - 1 + store, count_text("last beat to record", store)});
  return diagram;
}

TimingDiagram query_timing(const files::Config& config) {
  const rtl::Layout layout(config);
  const bool table = config.microarchitecture.score_lane != files::ScoreLane::multiplier;
  const std::uint64_t keys = timing_keys(config), rows = cycles_of(layout.rows);
  const std::vector<std::uint64_t> reads = reads_of(layout, keys);
  const std::uint64_t rotated = rows + cycles_of(layout.rotate_cycles);
  const std::uint64_t start = rotated + cycles_of(layout.build_cycles);  // of the reads
  const std::uint64_t behind = layout.code ? cycles_of(layout.decode_cycles) + 1 : 0;
  const std::uint64_t done = start + reads.back() + cycles_of(layout.read_rows) + behind;
  const std::uint64_t latency = cycles_of(layout.read_latency);
  const std::uint64_t cycles = std::max(start + reads.back() + latency, done) + 1 + kBehind;

  Signal read{"obs_read_o", true, {}}, score{"score_valid_o", true, {}};
  Signal value{"score_data_o", false, {}}, final{"score_last_o", false, {}};
  for (std::uint64_t t = 0; t < keys; ++t) {
    const std::uint64_t at = start + reads[t];
    // With a code a record leaves the interpolation when the next one arrives.
    const bool followed = layout.code && t + 1 < keys;
    const std::uint64_t scored =
        (followed ? start + reads[t + 1] - cycles_of(layout.read_rows) : at) + latency;
    read.spans.push_back(high(at, at));
    score.spans.push_back(high(scored, scored));
    value.spans.push_back({scored, scored, "s" + std::to_string(t)});
    final.spans.push_back({scored, scored, t + 1 == keys ? "1" : "0"});
  }
  // Behind the query one beat is offered, until it is accepted.
  Signal ready{"vector_ready_o", true, {high(0, rows - 1), high(done, done)}};
  const bool waits = layout.rows == 1 && layout.key_wait > 0;
  if (waits) ready.spans.push_back(high(done + cycles_of(layout.key_wait) + 1, cycles - 1));
  if (!waits) ready.spans.back().last = cycles - 1;
  if (ready.spans.back().first >= cycles) ready.spans.pop_back();
  Signal state{"obs_state_o", false, {}};
  state.spans = {{0, rows - 1, "accept"},
                 {rows, rotated - 1, "rotate"},
                 {rotated, start - 1, "build"},
                 {start, done - 1, "read"},
                 {done, cycles - 1, "accept"}};
  TimingDiagram diagram;
  diagram.cycles = cycles;
  diagram.signals = {{"vector_valid_i", true, {high(0, done)}},
                     ready,
                     {"vector_query_i", true, {high(0, rows - 1)}},
                     {"vector_data_i", false, {{0, rows - 1, "q"}, {rows, done, "next key"}}},
                     state,
                     read,
                     {"query_done_o", true, {high(done, done)}},
                     score,
                     value,
                     final};
  diagram.periods = {{rows - 1, rotated - 1, count_text("rotate", rotated - rows)},
                     {rotated, start, count_text(table ? "table" : "to reads", start - rotated)},
                     {start + reads.back(), start + reads.back() + latency,
                      count_text("last read to score", latency)}};
  return diagram;
}

}  // namespace axelram::sim
