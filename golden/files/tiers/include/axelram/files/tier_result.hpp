#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace axelram::files {

/// Blocks or rows of one tier, [rows, bytes].
struct TierBlocks {
  std::size_t bytes = 0;  ///< of a row
  std::vector<std::uint8_t> data;

  std::size_t rows() const { return bytes == 0 ? 0 : data.size() / bytes; }
};

/// What a tiered cache made of the keys, or of the values, of a trace of T tokens.
struct TierHalf {
  std::vector<std::int32_t> bounds;  ///< [T, 2]: row n - 1 has warm_end and archive_end of n tokens
  TierBlocks warm;     ///< every block as it became warm, archived since or not, the oldest first
  TierBlocks archive;  ///< every archived block, zero bytes up to the longest
  std::vector<std::uint8_t> kinds;  ///< TierStore::code of each archived block
  std::vector<float> decoded;       ///< [T, d]: as a query of token T - 1 meets them
};

/// Result of a tiered cache for one trace (bit-contract.md#tier-result). Scores and outputs are
/// floats within bounds; all else is the same with every engine.
struct TierResult {
  std::size_t tokens = 0, queries = 0, d = 128;
  TierHalf keys, values;
  std::vector<float> scores;   ///< [Q, T]: <q, k>; +0 for a token that the query does not see
  std::vector<float> outputs;  ///< [Q, d]
  std::size_t bytes_fp16 = 0, bytes_warm = 0, bytes_archive = 0;  ///< keys and values, at n = T
};

/// Throws like write_safetensors.
void write_tier_result(const std::string& path, const TierResult& result, bool force);

}  // namespace axelram::files
