#pragma once

#include "axelram/code.hpp"

namespace axelram {

/// Decodes Hamming(8,4) by the pair of local syndrome and overall parity: (0,0) clean; (z,1)
/// corrected; (z,0) detected; (0,1) error in the parity bit (bit-contract.md#hamming84;
/// references.md#ecc-kv-cache, section 5.2.2). Equal to decode_ref
/// on every received word. `code` is hamming84.
Decoded decode_hamming84_ref(const Code& code, const Word& received);

}  // namespace axelram
