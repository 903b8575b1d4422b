#pragma once

#include <cstdint>

#include "axelram/rtl/layout.hpp"
#include "axelram/sim/driver.hpp"

namespace axelram::sim {

/// Cycles of the RTL for writing `keys` keys and then scoring `queries` queries without stalls, in
/// closed form.
Cycles cycle_model(const rtl::Layout& layout, std::uint64_t keys, std::uint64_t queries);

}  // namespace axelram::sim
