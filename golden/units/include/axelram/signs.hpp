#pragma once

#include <cstdint>

namespace axelram {

/// Writes the d signs (+1 or -1) that `seed` gives to one layer and KV head (bit contract, "Signs";
/// the diagonal of R = H_d diag(s), paper section III.A). layer, head >= 0, counted from 0; d > 0.
void sign_vector(std::uint64_t seed, int layer, int head, int d, std::int8_t* signs);

}  // namespace axelram
