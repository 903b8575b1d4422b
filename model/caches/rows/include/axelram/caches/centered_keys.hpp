#pragma once

#include <memory>

#include "axelram/files/position_centers.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::caches {

/// Keys less the center of their block of positions (bit-contract.md#position-centers): `cache`
/// gets k - c, and its scores get the product of query and center back, which differs from block to
/// block. Token t of a sequence has position t.
std::unique_ptr<transformer::KeyCache> centered_keys(std::unique_ptr<transformer::KeyCache> cache,
                                                     const files::PositionCenters& centers,
                                                     int layer, int head);

}  // namespace axelram::caches
