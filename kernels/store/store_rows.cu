#include "store/move_rows.cuh"
#include "units/staged_record.cuh"

namespace axelram::kernels {
namespace {

constexpr int kStoreThreads = 256;

/// Bits of a word of a tile, and the mask of those that are set or cleared.
struct MaskedWord {
  std::uint32_t bits, mask;
};

/// Word `word` of a lane's payload from staged records: of all 32 tokens, record t at staged + t *
/// stride, or of one token alone, whose record is at staged.
AXELRAM_DEVICE MaskedWord payload_word(const Pages& pages, int log2_dim, int lane, int word,
                                       const std::uint32_t* staged, int only_token, int stride) {
  const int b = pages.index_bits, unit = word / b;
  MaskedWord result{0, 0};
  for (int c = 0; c < 4; ++c) {
    const NibblePart part = nibble_part(b, word - unit * b, c);
    if (part.mask == 0) continue;
    for (int n = 0; n < 8; ++n) {
      const TileElement e = tile_element(pages.values, log2_dim, lane, 32 * unit + 8 * c + n);
      if (only_token >= 0 && e.token != only_token) continue;
      const std::uint32_t* record = only_token >= 0 ? staged : staged + e.token * stride;
      const std::uint32_t bits = staged_index(record, b, e.dim) >> part.first & part.mask;
      result.bits |= bits << (4 * n + part.shift);
      result.mask |= part.mask << (4 * n + part.shift);
    }
  }
  return result;
}

/// 32 records of one head a block, staged in shared memory. If they are the 32 tokens of a tile
/// in order, every word of the tile is assembled and stored once: 50 bytes read and written a
/// row at d = 128, b = 3, about 1500 instructions. Otherwise each row's bits go into their words by
/// atomics, as tokens of other blocks may share the word; whole words are stored as they are.
AXELRAM_KERNEL AXELRAM_BOUNDS(kStoreThreads, 4) void store_records(Pages pages, BlockTable table,
                                                                   TokenPositions positions,
                                                                   int log2_dim,
                                                                   const std::uint16_t* rows) {
  const int b = pages.index_bits, d = pages.head_dim;
  const int stride = staged_words(d * b + 16), lane_words = tile_lane_words(d, b);
  const int vector = tile_vector_words(d, b), halfwords = (d * b + 16) / 16;
  const std::int32_t head = static_cast<std::int32_t>(block_y());
  const std::size_t first = std::size_t{block_x()} * kTileTokens;
  const int count = static_cast<int>(
      positions.count - first < kTileTokens ? positions.count - first : std::size_t{kTileTokens});
  const int thread = static_cast<int>(thread_index()), lane = thread % 32, warp = thread / 32;
  constexpr int kWarps = kStoreThreads / 32;
  auto* const tiles = shared_memory<std::uint8_t*>();
  auto* const tokens = reinterpret_cast<std::int32_t*>(tiles + kTileTokens);
  auto* const staged = reinterpret_cast<std::uint32_t*>(tokens + kTileTokens);

  for (int row = warp; row < count; row += kWarps) {
    const auto number =
        (first + static_cast<std::size_t>(row)) * static_cast<std::size_t>(pages.heads) +
        static_cast<std::size_t>(head);
    stage_record(staged + row * stride, stride, rows + number * static_cast<std::size_t>(halfwords),
                 halfwords);
  }
  if (thread < count) {
    const std::size_t entry = first + static_cast<std::size_t>(thread);
    const PageSlot at =
        page_slot(pages, table, load(positions.sequence + entry), load(positions.position + entry));
    tokens[thread] = at.token % kTileTokens;
    tiles[thread] = tile_of(pages, at.page, head, at.token);
  }
  sync_block();
  const bool in_order = lane < count && tokens[lane] == lane && tiles[lane] == tiles[0];
  const bool whole = ballot(in_order) == 0xFFFFFFFFU;

  for (int row = thread; row < count; row += kStoreThreads) {
    auto* const norm = tiles[row] + tile_norm(d, b, tokens[row]);
    *reinterpret_cast<std::uint16_t*>(norm) = staged_norm(staged + row * stride, d * b);
  }
  if (whole) {
    auto* const tile = reinterpret_cast<std::uint32_t*>(tiles[0]);
    for (int word = warp; word < lane_words; word += kWarps)
      tile[tile_word(vector, lane, word)] =
          payload_word(pages, log2_dim, lane, word, staged, -1, stride).bits;
    return;
  }
  // A token's indices lie in the payloads of 8 lanes (values), or in a quarter of those of 4.
  const int lanes = pages.values ? 8 : 4;
  const int words = pages.values ? lane_words : lane_words / 4 > b ? lane_words / 4 : b;
  for (int row = warp; row < count; row += kWarps) {
    const int token = tokens[row];
    auto* const tile = reinterpret_cast<std::uint32_t*>(tiles[row]);
    for (int i = lane; i < lanes * words; i += 32) {
      const int at = i / lanes, group = i % lanes;
      const int holder = pages.values ? 4 * group + token % 8 / 2 : 4 * (token % 8) + group;
      const int unit = pages.values ? 0 : (token / 8 << (log2_dim - 2)) / 32;
      const int word = unit * b + at;
      const MaskedWord masked =
          payload_word(pages, log2_dim, holder, word, staged + row * stride, token, stride);
      std::uint32_t* const to = tile + tile_word(vector, holder, word);
      if (masked.mask == 0xFFFFFFFFU) {
        *to = masked.bits;
      } else if (masked.mask != 0) {
        atomic_and(to, masked.bits | ~masked.mask);
        atomic_or(to, masked.bits);
      }
    }
  }
}

}  // namespace

void store_rows(Stream& stream, const Pages& pages, const BlockTable& table,
                const TokenPositions& positions, const std::uint8_t* rows, std::size_t row_bytes) {
  check_rows("store_rows", pages, rows, row_bytes);
  if (pages.kind != RowKind::records)
    return launch_move_rows<true>(stream, "store_rows", pages, table, positions,
                                  const_cast<std::uint8_t*>(rows), row_bytes);
  const std::size_t stride =
      static_cast<std::size_t>(staged_words(pages.head_dim * pages.index_bits + 16));
  Launch shape = shape_of("store_rows", pages, positions, row_bytes);
  shape.grid_x = (positions.count + kTileTokens - 1) / kTileTokens;
  shape.grid_y = static_cast<std::uint64_t>(pages.heads);
  shape.threads = kStoreThreads;
  shape.shared_bytes = kTileTokens * (sizeof(std::uint8_t*) + 4 + 4 * stride);
  launch(stream, shape, store_records, pages, table, positions, log2_of(pages.head_dim),
         reinterpret_cast<const std::uint16_t*>(rows));
}

}  // namespace axelram::kernels
