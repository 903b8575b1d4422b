#include <algorithm>

#include "axelram/sim/cycle_model.hpp"

namespace axelram::sim {

Cycles attention_cycle_model(const rtl::Layout& layout, std::uint64_t tokens,
                             std::uint64_t groups) {
  const auto of = [](int cycles) { return static_cast<std::uint64_t>(cycles); };
  Cycles cycles;
  // The beats of an item follow each other but for a wait behind a key; between two items the
  // segment is looked up for a cycle, within the wait behind a value if there is one.
  const std::uint64_t last_beat = tokens > 0 ? (tokens - 1) * of(layout.token_interval) +
                                                   2 * of(layout.rows) + of(layout.key_wait) - 1
                                             : 0;
  const std::uint64_t stored = last_beat + of(layout.store_cycles);
  if (tokens > 0) cycles.write = stored + 1;

  const std::uint64_t beats = of(layout.group) * of(layout.rows);
  std::uint64_t first =
      tokens > 0 ? last_beat + std::max<std::uint64_t>(2, of(layout.key_wait) + 1) : 0;
  for (std::uint64_t group = 0; group < groups; ++group) {
    // A group is read when it is rotated and all tokens before it are stored.
    const std::uint64_t loaded = first + beats - 1 + of(layout.rotate_cycles);
    const std::uint64_t ready = std::max(loaded, tokens > 0 ? stored : 0);
    const std::uint64_t reads =
        tokens > 0 ? cycles_before_last_read(layout, {tokens, 0}) + of(layout.read_rows) : 0;
    const std::uint64_t over = ready + of(layout.build_cycles) + 1 + reads;
    const std::uint64_t ended = over + of(layout.tail_cycles);
    cycles.rotate += ready + 1 - first;
    cycles.build += of(layout.build_cycles);
    cycles.read += over - ready - of(layout.build_cycles);
    cycles.tail += ended - over;
    cycles.total = ended + 2;  // an output leaves its FIFO a cycle later
    first = ended + 2;
  }
  if (groups == 0) cycles.total = cycles.write;
  return cycles;
}

}  // namespace axelram::sim
