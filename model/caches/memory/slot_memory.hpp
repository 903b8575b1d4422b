#pragma once

#include <memory>

#include "axelram/caches/cache_site.hpp"
#include "axelram/caches/memory_setup.hpp"
#include "axelram/transformer/head_memory.hpp"
#include "axelram/unit_table.hpp"
#include "rows/row_memory.hpp"

namespace axelram::caches {

/// The memory of one layer and KV head (bit-contract.md#memory). `setup` must outlive it. code: of
/// its records.
std::unique_ptr<transformer::HeadMemory> slot_memory(const MemorySetup& setup,
                                                     std::shared_ptr<const RowCode> code,
                                                     const UnitTable& units, const CacheSite& site);

}  // namespace axelram::caches
