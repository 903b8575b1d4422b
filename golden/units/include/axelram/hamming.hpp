#pragma once

#include "axelram/code.hpp"

namespace axelram {

/// Hamming(8,4) by the pair of local syndrome and overall parity (ECC paper, section 5.2.2):
/// (0,0) clean; (z,1) corrected; (z,0) detected; (0,1) the parity bit itself. Equal to decode_ref
/// on every received word. `code` is hamming84.
Decoded decode_hamming84_ref(const Code& code, const Word& received);

}  // namespace axelram
