#pragma once

#include <cstdint>

namespace axelram {

/// Writes the d signs (+1 or -1) of one layer and KV head, derived from `seed`: the diagonal of
/// R = H_d diag(s) (bit-contract.md#signs; references.md#axelram, section III.A).
/// layer, head >= 0, counted from 0; d > 0.
void sign_vector(std::uint64_t seed, int layer, int head, int d, std::int8_t* signs);

}  // namespace axelram
