#pragma once

#include "axelram/code.hpp"

namespace axelram {

/// Decodes Golay(24,12) by weights instead of a table (bit-contract.md#golay24). B = B^T and
/// B B^T = I. With the syndrome s and row b_i of B, an error of weight <= 3 satisfies one of
///   wt(s) <= 3;  wt(s + b_i) <= 2;  wt(s B) <= 3;  wt(s B + b_i) <= 2.
/// Equal to decode_ref on every received word. `code` is golay24.
Decoded decode_golay_algebraic_ref(const Code& code, const Word& received);

}  // namespace axelram
