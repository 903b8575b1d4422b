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
AXELRAM_DEVICE MaskedWord payload_word(const TilePart& of, bool values, int lane, int word,
                                       const std::uint32_t* staged, int only_token, int stride) {
  const int b = of.index_bits, unit = word / b;
  MaskedWord result{0, 0};
  for (int c = 0; c < 4; ++c) {
    const NibblePart part = nibble_part(b, word - unit * b, c);
    if (part.mask == 0) continue;
    for (int n = 0; n < 8; ++n) {
      const TileElement e = tile_element(values, of.log2_dim, lane, 32 * unit + 8 * c + n);
      if (only_token >= 0 && e.token != only_token) continue;
      const std::uint32_t* record = only_token >= 0 ? staged : staged + e.token * stride;
      const std::uint32_t bits =
          staged_index(record, b, e.dim, of.first_bit) >> part.first & part.mask;
      result.bits |= bits << (4 * n + part.shift);
      result.mask |= part.mask << (4 * n + part.shift);
    }
  }
  return result;
}

/// Where the records of a block go, and where they are staged.
struct StagedRows {
  const std::uint32_t* staged;  ///< record r at staged + r * stride
  int stride, count;
  const std::int32_t* tokens;  ///< of each record, in its tile
  std::uint8_t* const* tiles;  ///< of each record
};

/// One part of the records. whole: they are the 32 tokens of a tile in order.
AXELRAM_DEVICE void store_part(const TilePart& part, bool values, const StagedRows& rows,
                               bool whole) {
  const int thread = static_cast<int>(thread_index()), lane = thread % 32, warp = thread / 32;
  constexpr int kWarps = kStoreThreads / 32;
  const int b = part.index_bits, lane_words = tile_lane_words(part.dim, b);
  const int vector = part.vector_words();
  const auto payloads = [&](int row) {
    return reinterpret_cast<std::uint32_t*>(rows.tiles[row]) + part.first_word;
  };
  for (int row = thread; row < rows.count; row += kStoreThreads)
    *reinterpret_cast<std::uint16_t*>(rows.tiles[row] + part.first_norm + 2 * rows.tokens[row]) =
        staged_norm(rows.staged + row * rows.stride, part.norm_bit);
  if (whole) {
    std::uint32_t* const to = payloads(0);
    for (int word = warp; word < lane_words; word += kWarps)
      to[tile_word(vector, lane, word)] =
          payload_word(part, values, lane, word, rows.staged, -1, rows.stride).bits;
    return;
  }
  // A token's indices lie in the payloads of 8 lanes (values), or in a quarter of those of 4.
  const int lanes = values ? 8 : 4;
  const int words = values ? lane_words : lane_words / 4 > b ? lane_words / 4 : b;
  for (int row = warp; row < rows.count; row += kWarps) {
    const int token = rows.tokens[row];
    const std::uint32_t* const record = rows.staged + row * rows.stride;
    for (int i = lane; i < lanes * words; i += 32) {
      const int at = i / lanes, group = i % lanes;
      const int holder = values ? 4 * group + token % 8 / 2 : 4 * (token % 8) + group;
      const int unit = values ? 0 : (token / 8 << (part.log2_dim - 2)) / 32;
      const int word = unit * b + at;
      const MaskedWord masked =
          payload_word(part, values, holder, word, record, token, rows.stride);
      std::uint32_t* const to = payloads(row) + tile_word(vector, holder, word);
      if (masked.mask == 0xFFFFFFFFU) {
        *to = masked.bits;
      } else if (masked.mask != 0) {
        atomic_and(to, masked.bits | ~masked.mask);
        atomic_or(to, masked.bits);
      }
    }
  }
}

/// 32 records of one head a block, staged in shared memory. If they are the 32 tokens of a tile
/// in order, every word of the tile is assembled and stored once: 50 bytes read and written a
/// row at d = 128, b = 3, about 1500 instructions. Otherwise each row's bits go into their words by
/// atomics, as tokens of other blocks may share the word; whole words are stored as they are.
AXELRAM_KERNEL AXELRAM_BOUNDS(kStoreThreads, 4) void store_records(Pages pages, BlockTable table,
                                                                   TokenPositions positions,
                                                                   int log2_dim,
                                                                   const std::uint16_t* rows) {
  const int halfwords = pages.record_bits() / 16, stride = staged_words(pages.record_bits());
  const std::int32_t head = static_cast<std::int32_t>(block_y());
  const std::size_t first = std::size_t{block_x()} * kTileTokens;
  const int count = static_cast<int>(
      positions.count - first < kTileTokens ? positions.count - first : std::size_t{kTileTokens});
  const int thread = static_cast<int>(thread_index()), lane = thread % 32;
  auto* const tiles = shared_memory<std::uint8_t*>();
  auto* const tokens = reinterpret_cast<std::int32_t*>(tiles + kTileTokens);
  auto* const staged = reinterpret_cast<std::uint32_t*>(tokens + kTileTokens);

  for (int row = thread / 32; row < count; row += kStoreThreads / 32) {
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
  for (int part = 0; part < pages.parts(); ++part)
    store_part(tile_part(pages, log2_dim, part), pages.values,
               {staged, stride, count, tokens, tiles}, whole);
}

}  // namespace

void store_rows(Stream& stream, const Pages& pages, const BlockTable& table,
                const TokenPositions& positions, const std::uint8_t* rows, std::size_t row_bytes) {
  check_rows("store_rows", pages, rows, row_bytes);
  if (pages.kind != RowKind::records)
    return launch_move_rows<true>(stream, "store_rows", pages, table, positions,
                                  const_cast<std::uint8_t*>(rows), row_bytes);
  const auto stride = static_cast<std::size_t>(staged_words(pages.record_bits()));
  Launch shape = shape_of("store_rows", pages, positions, row_bytes);
  shape.grid_x = (positions.count + kTileTokens - 1) / kTileTokens;
  shape.grid_y = static_cast<std::uint64_t>(pages.heads);
  shape.threads = kStoreThreads;
  shape.shared_bytes = kTileTokens * (sizeof(std::uint8_t*) + 4 + 4 * stride);
  launch(stream, shape, store_records, pages, table, positions, log2_of(pages.head_dim),
         reinterpret_cast<const std::uint16_t*>(rows));
}

}  // namespace axelram::kernels
