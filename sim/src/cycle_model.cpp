#include "axelram/sim/cycle_model.hpp"

namespace axelram::sim {

Cycles cycle_model(const rtl::Layout& layout, std::uint64_t keys, std::uint64_t queries) {
  const auto rows = static_cast<std::uint64_t>(layout.rows);
  const auto read_rows = static_cast<std::uint64_t>(layout.read_rows);
  const auto rotate = rows + static_cast<std::uint64_t>(layout.rotate_cycles);
  const auto build = static_cast<std::uint64_t>(layout.build_cycles);
  // A query ends with its last lookup: a cycle behind its last read, or behind decoder and
  // interpolation.
  const auto decode = static_cast<std::uint64_t>(layout.decode_cycles);
  const std::uint64_t behind = layout.code && keys > 0 ? decode + 1 : 0;
  const std::uint64_t read = keys * read_rows + behind;
  // A query waits in rotation for the keys before it to pass the encoder.
  const auto encode = static_cast<std::uint64_t>(layout.encode_cycles);
  const std::uint64_t wait = keys > 0 && encode + 1 > rows ? encode + 1 - rows : 0;

  Cycles cycles;
  // Keys stream in back to back; the last one still has to reach the store.
  if (keys > 0) cycles.write = rows * keys + static_cast<std::uint64_t>(layout.store_cycles);
  cycles.rotate = queries * rotate + (queries > 0 ? wait : 0);
  cycles.build = queries * build;
  cycles.read = queries * read;
  cycles.total = cycles.write;
  if (queries > 0) {
    // The first query follows the last key at once; the next follows the last lookup. The last
    // score leaves read_latency after its read; without keys a query ends a cycle after its table.
    const std::uint64_t last_start = rows * keys + wait + (queries - 1) * (rotate + build + read);
    const std::uint64_t tail =
        keys > 0 ? (keys - 1) * read_rows + static_cast<std::uint64_t>(layout.read_latency) : 0;
    cycles.total = last_start + rotate + build + tail + 1;
  }
  return cycles;
}

}  // namespace axelram::sim
