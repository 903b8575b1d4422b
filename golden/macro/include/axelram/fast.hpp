#pragma once

#include "axelram/fast_keys.hpp"
#include "axelram/fast_scores.hpp"
#include "axelram/simd.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {

/// The fast units at simd_level(), for a Macro, a Datapath or a KeyStore.
const UnitTable& fast_units();

}  // namespace axelram
