#include "axelram/sim/cycle_model.hpp"

#include <algorithm>

#include "axelram/rtl/layout.hpp"

namespace axelram::sim {
namespace {

/// The cycle in which the last record from outside goes to the memory.
std::uint64_t last_record(const rtl::Layout& layout, const WrittenItems& items) {
  const auto beats = static_cast<std::uint64_t>(layout.beats);
  const auto interval = static_cast<std::uint64_t>(layout.key_interval);
  std::uint64_t first = interval * items.keys + beats;
  if (items.keys > 0)  // it waits for the keys
    first =
        std::max(first, interval * (items.keys - 1) + static_cast<std::uint64_t>(layout.rows) +
                            static_cast<std::uint64_t>(layout.store_cycles - layout.encode_cycles));
  return first + beats * (items.records - 1);
}

}  // namespace

std::uint64_t cycles_before_last_read(const rtl::Layout& layout, const WrittenItems& items) {
  const auto read_rows = static_cast<std::uint64_t>(layout.read_rows);
  const std::uint64_t tokens = items.keys + items.records;
  if (layout.copy_cycles == 0 || tokens == 0) return tokens == 0 ? 0 : (tokens - 1) * read_rows;
  // Copies of first tokens, records, copies of newest tokens, records from outside.
  const std::uint64_t first =
      std::min<std::uint64_t>(items.keys, static_cast<std::uint64_t>(layout.exact_first));
  const std::uint64_t newest =
      std::min<std::uint64_t>(tokens, static_cast<std::uint64_t>(layout.exact_last));
  const std::uint64_t before_last = std::max(first, tokens - newest);
  const std::uint64_t last = items.keys - std::min(items.keys, before_last);
  auto ready = static_cast<std::uint64_t>(layout.copy_latency);
  std::uint64_t next = 0, at = 0;  // cycle from which the next token may be read; of the last read
  const auto read_copies = [&](std::uint64_t count) {
    for (std::uint64_t c = 0; c < count; ++c) {
      ready += static_cast<std::uint64_t>(layout.copy_cycles);
      at = std::max(next, ready);
      next = at + read_rows;
    }
  };
  const auto read_records = [&](std::uint64_t count) {
    if (count == 0) return;
    at = next + (count - 1) * read_rows;
    next = at + read_rows;
  };
  read_copies(first);
  read_records(last > 0 ? before_last - first : tokens - first);
  read_copies(last);
  read_records(last > 0 ? items.records : 0);
  return at;
}

Cycles cycle_model(const rtl::Layout& layout, const WrittenItems& items, std::uint64_t queries) {
  const auto rows = static_cast<std::uint64_t>(layout.rows);
  const auto interval = static_cast<std::uint64_t>(layout.key_interval);
  const auto read_rows = static_cast<std::uint64_t>(layout.read_rows);
  const auto rotate = rows + static_cast<std::uint64_t>(layout.rotate_cycles);
  const auto build = static_cast<std::uint64_t>(layout.build_cycles);
  const std::uint64_t tokens = items.keys + items.records;
  // A query ends with its last lookup: one cycle after its last read, or after decoder and
  // interpolation.
  const auto decode = static_cast<std::uint64_t>(layout.decode_cycles);
  const std::uint64_t behind = layout.code && tokens > 0 ? decode + 1 : 0;
  const std::uint64_t before_last = cycles_before_last_read(layout, items);
  const std::uint64_t read = tokens > 0 ? before_last + read_rows + behind : behind;
  // A query waits in state rotate until all earlier keys are stored. The first one is accepted
  // directly behind the last key, or with the last record on its way to the memory.
  const bool key_last = items.keys > 0 && items.records == 0;
  const std::uint64_t wait = key_last ? static_cast<std::uint64_t>(layout.wait_cycles) : 0;
  const std::uint64_t first_query =
      items.records > 0 ? last_record(layout, items) : interval * items.keys;

  Cycles cycles;
  // The last key takes store_cycles, a record a cycle and the encoder.
  if (key_last)
    cycles.write =
        interval * (items.keys - 1) + rows + static_cast<std::uint64_t>(layout.store_cycles);
  if (items.records > 0)
    cycles.write = first_query + 1 + static_cast<std::uint64_t>(layout.encode_cycles);
  cycles.rotate = queries * rotate + (queries > 0 ? wait : 0);
  cycles.build = queries * build;
  cycles.read = queries * read;
  cycles.total = cycles.write;
  if (queries > 0) {
    // The next query follows the last lookup. The last score is output read_latency after its read.
    // Without keys a query ends a cycle after its table.
    const std::uint64_t last_start = first_query + wait + (queries - 1) * (rotate + build + read);
    const std::uint64_t tail =
        tokens > 0 ? before_last + static_cast<std::uint64_t>(layout.read_latency) : 0;
    cycles.total = last_start + rotate + build + tail + 1;
  }
  return cycles;
}

}  // namespace axelram::sim
