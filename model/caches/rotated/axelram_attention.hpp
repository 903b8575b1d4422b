#pragma once

#include <memory>

#include "axelram/transformer/kv_cache.hpp"
#include "rotated/record_rows.hpp"

namespace axelram::caches {

/// Keys and values of one layer and KV head in a macro with attention: its integers from the floats
/// of the model to those of the outputs (bit-contract.md#attention). No bit depends on the group,
/// so that each query is one of its own. A sequence has max_keys tokens at most. `setup` must stay.
std::unique_ptr<transformer::HeadAttention> axelram_attention(const CpuSetup& setup, int layer,
                                                              int head);

}  // namespace axelram::caches
