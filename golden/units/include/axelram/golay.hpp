#pragma once

#include "axelram/code.hpp"

namespace axelram {

/// Golay(24,12) decoding by weights instead of a table (uses B = B^T, B B^T = I): with s =
/// syndrome, b_i = row i of B, weight <= 3 in total means one of
///   wt(s) <= 3;  wt(s + b_i) <= 2;  wt(s B) <= 3;  wt(s B + b_i) <= 2.
/// Equal to decode_ref on every received word. `code` is golay24.
Decoded decode_golay_algebraic_ref(const Code& code, const Word& received);

}  // namespace axelram
