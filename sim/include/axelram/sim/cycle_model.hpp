#pragma once

#include <cstdint>

#include "axelram/rtl/layout.hpp"
#include "axelram/sim/driver.hpp"

namespace axelram::sim {

/// The cycles of writing `keys` keys and then scoring `queries` queries, in closed form: what the
/// RTL takes when no stream ever pauses.
Cycles cycle_model(const rtl::Layout& layout, std::uint64_t keys, std::uint64_t queries);

}  // namespace axelram::sim
