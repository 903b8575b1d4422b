#pragma once

#include <cstdint>

#include "axelram/rtl/layout.hpp"
#include "axelram/sim/cycles.hpp"

namespace axelram::sim {

/// What is written: keys, and behind them records from outside.
struct WrittenItems {
  std::uint64_t keys = 0, records = 0;
};

/// Cycles of the reads of one query up to the last one, without it. A token with a copy waits for
/// the accumulator of the copy.
std::uint64_t cycles_before_last_read(const rtl::Layout& layout, const WrittenItems& items);

/// Cycles of the RTL for writing the items and then scoring `queries` queries without stalls, in
/// closed form. Items are sent as soon as they are accepted.
Cycles cycle_model(const rtl::Layout& layout, const WrittenItems& items, std::uint64_t queries);

/// The same of a macro with attention: tokens of one segment that has room for them, then groups of
/// queries.
Cycles attention_cycle_model(const rtl::Layout& layout, std::uint64_t tokens, std::uint64_t groups);

}  // namespace axelram::sim
