#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "axelram/code.hpp"

namespace axelram {

/// Columns of H for the data bits of a Hsiao code, which are the rows of its P: `k` distinct words
/// of `check_bits` bits and odd weight >= 3, lightest first. Among the heaviest weight used, the
/// columns are chosen so that the rows of H are equally heavy to within one
/// (bit-contract.md#hsiao). The choice is deterministic. check_bits: 3..12; k: 1..64. Throws
/// std::invalid_argument if there are fewer than `k` such words.
std::vector<std::uint32_t> hsiao_columns(int check_bits, int k);

/// P of "hsiao_N_K", or nothing for any other name. Throws std::invalid_argument if K is outside
/// 1..64, N - K is outside 3..12, or N - K check bits are too few for K.
std::optional<ParityMatrix> hsiao_matrix(std::string_view name);

}  // namespace axelram
