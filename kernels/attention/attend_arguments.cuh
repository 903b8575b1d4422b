#pragma once

#include <cstdint>

#include "axelram/interpolate.hpp"
#include "axelram/kernels/attention.hpp"
#include "axelram/kernels/codes.hpp"
#include "device/launch.cuh"
#include "units/exact_rows.cuh"
#include "units/softmax.cuh"
#include "units/tile.cuh"

namespace axelram::kernels {

constexpr int kAttendWarps = 4;
/// Query heads of a block.
constexpr int kBlockHeads = 8;

/// Softmax of one split and query head: the reference and the sum of its probabilities. The d
/// weighted sums are stored beside it.
struct alignas(16) SplitStatistics {
  SoftmaxReference reference;
  float sum, unused;
};

/// Arguments of the attention kernels.
struct AttendArguments {
  Pages keys, values;
  const std::int32_t* table;
  std::int32_t max_pages, page_tiles;
  const std::int32_t *sequence, *visible;
  const std::uint16_t* fp16;
  const std::int8_t* u8;
  const std::int32_t* exponents;
  const std::int8_t* v8;  ///< of keys with residual signs
  const std::int32_t* residual_exponents;
  CentroidBytes key_centroids;     ///< signed
  CentroidBytes second_centroids;  ///< of the second part of keys
  std::uint32_t residual_scale;
  std::int32_t log2_dim;
  CentroidBytes value_centroids;  ///< plus 128
  std::uint32_t half_bytes;       ///< 0x64646464
  const std::int8_t* value_signs;
  CodeView code;  ///< code of the pages of codewords
  ErasurePolicy policy;
  CodeCounts* counts;  ///< or null
  float score_factor;  ///< of the tensor cores' sums, times norm and 2^e_u, in base 2
  float value_scale;
  std::int32_t heads, group, head_blocks;
  std::int32_t splits, split_tiles;
  float* split_sums;                  ///< [count * heads * group, splits, d]
  SplitStatistics* split_statistics;  ///< [count * heads * group, splits]
  /// The first and the newest tokens, which these kernels leave out, and what they add to the
  /// result: [count * heads * group, d] and [count * heads * group], or null.
  std::int32_t exact_first, exact_last;
  const float* exact_sums;
  const SplitStatistics* exact_statistics;
  float* out;
};

/// Tokens begin .. end - 1 of a query, those that are not exact; both 0 if there are none.
AXELRAM_DEVICE PagedTokens paged_tokens_of(const AttendArguments& a, std::int64_t query) {
  const PagedTokens tokens = paged_tokens(a.exact_first, a.exact_last, a.visible[query]);
  return tokens.begin < tokens.end ? tokens : PagedTokens{0, 0};
}

AXELRAM_HD std::int32_t tiles_of(std::int32_t tokens) {
  return tokens / kTileTokens + (tokens % kTileTokens > 0 ? 1 : 0);
}

/// 2^e for an exponent e_u; no FP16 query exceeds 2^60.
AXELRAM_DEVICE float clamped_power_of_two(std::int32_t e) {
  return power_of_two(e > 60 ? 60 : e < -126 ? -126 : e);
}

/// Walks every kAttendWarps-th tile of a sequence: tile 0 of a page follows the last tile of the
/// previous page. The table entry of the next tile is loaded one step ahead.
struct TileWalk {
  const std::int32_t* table;  ///< of the sequence
  std::int32_t page_tiles, end, step_pages, step_tiles;
  std::int32_t tile, column, tile_in_page, page;

  AXELRAM_DEVICE TileWalk(const AttendArguments& a, std::int32_t sequence, std::int32_t first,
                          std::int32_t tiles)
      : table(a.table + static_cast<std::int64_t>(sequence) * a.max_pages),
        page_tiles(a.page_tiles),
        end(tiles),
        step_pages(kAttendWarps / a.page_tiles),
        step_tiles(kAttendWarps % a.page_tiles),
        tile(first),
        column(first / a.page_tiles),
        tile_in_page(first % a.page_tiles),
        page(0) {
    ask();
  }
  AXELRAM_DEVICE bool more() const { return tile < end; }
  AXELRAM_DEVICE void advance() {
    tile += kAttendWarps;
    column += step_pages;
    tile_in_page += step_tiles;
    if (tile_in_page >= page_tiles) {
      tile_in_page -= page_tiles;
      ++column;
    }
    ask();
  }

 private:
  AXELRAM_DEVICE void ask() {
    if (more()) page = load(table + column);
  }
};

}  // namespace axelram::kernels
