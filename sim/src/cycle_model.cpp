#include "axelram/sim/cycle_model.hpp"

namespace axelram::sim {

Cycles cycle_model(const rtl::Layout& layout, std::uint64_t keys, std::uint64_t queries) {
  const auto rows = static_cast<std::uint64_t>(layout.rows);
  const auto read_rows = static_cast<std::uint64_t>(layout.read_rows);
  const auto rotate = rows + static_cast<std::uint64_t>(layout.rotate_cycles);
  const auto build = static_cast<std::uint64_t>(layout.build_cycles);
  const std::uint64_t read = keys * read_rows;

  Cycles cycles;
  // Keys stream in back to back; the last one still has to reach the store.
  if (keys > 0) cycles.write = rows * keys + static_cast<std::uint64_t>(layout.store_cycles);
  cycles.rotate = queries * rotate;
  cycles.build = queries * build;
  cycles.read = queries * read;
  cycles.total = cycles.write;
  if (queries > 0) {
    // The first query follows the last key at once; the next follows the last lookup. The last
    // score leaves read_latency after its read; without keys a query ends a cycle after its table.
    const std::uint64_t last_start = rows * keys + (queries - 1) * (rotate + build + read);
    const std::uint64_t tail =
        keys > 0 ? read - read_rows + static_cast<std::uint64_t>(layout.read_latency) : 0;
    cycles.total = last_start + rotate + build + tail + 1;
  }
  return cycles;
}

}  // namespace axelram::sim
