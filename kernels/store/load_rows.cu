#include "store/move_rows.cuh"

namespace axelram::kernels {
namespace {

constexpr int kLoadThreads = 256;

/// A warp a record, a lane 16 of its bits at a time. For tests and conversions: a load per bit.
AXELRAM_KERNEL AXELRAM_BOUNDS(kLoadThreads, 4) void load_records(Pages pages, BlockTable table,
                                                                 TokenPositions positions,
                                                                 int log2_dim,
                                                                 std::uint16_t* rows) {
  const std::uint64_t row = std::uint64_t{block_x()} * (kLoadThreads / 32) + warp_index();
  const auto heads = static_cast<std::uint32_t>(pages.heads);
  if (row >= std::uint64_t{positions.count} * heads) return;
  const std::uint64_t entry = row / heads;
  const auto head = static_cast<std::int32_t>(row - entry * heads);
  const PageSlot at =
      page_slot(pages, table, load(positions.sequence + entry), load(positions.position + entry));
  const std::uint8_t* const tile = tile_of(pages, at.page, head, at.token);
  const int token = at.token % kTileTokens;
  std::uint16_t* const record = rows + row * static_cast<std::uint64_t>(pages.record_bits() / 16);
  for (int number = 0; number < pages.parts(); ++number) {
    const TilePart part = tile_part(pages, log2_dim, number);
    const int b = part.index_bits, vector = part.vector_words();
    const auto* const payloads = reinterpret_cast<const std::uint32_t*>(tile) + part.first_word;
    for (int i = static_cast<int>(lane_index()); i < part.dim * b / 16; i += 32) {
      std::uint32_t bits = 0;
      for (int k = 0; k < 16; ++k) {
        const int dim = (16 * i + k) / b;
        const PayloadSlot holder = payload_slot(pages.values, part.log2_dim, token, dim);
        const PayloadBit from = payload_bit(b, holder.index, 16 * i + k - dim * b);
        bits |= (payloads[tile_word(vector, holder.lane, from.word)] >> from.bit & 1) << k;
      }
      record[part.first_bit / 16 + i] = static_cast<std::uint16_t>(bits);
    }
    if (lane_index() == 0)
      record[part.norm_bit / 16] =
          *reinterpret_cast<const std::uint16_t*>(tile + part.first_norm + 2 * token);
  }
}

}  // namespace

void load_rows(Stream& stream, const Pages& pages, const BlockTable& table,
               const TokenPositions& positions, std::uint8_t* rows, std::size_t row_bytes) {
  check_rows("load_rows", pages, rows, row_bytes);
  if (pages.kind != RowKind::records)
    return launch_move_rows<false>(stream, "load_rows", pages, table, positions, rows, row_bytes);
  Launch shape = shape_of("load_rows", pages, positions, row_bytes);
  shape.threads = kLoadThreads;
  shape.grid_x = (positions.count * static_cast<std::size_t>(pages.heads) + 7) / 8;
  launch(stream, shape, load_records, pages, table, positions, log2_of(pages.head_dim),
         reinterpret_cast<std::uint16_t*>(rows));
}

}  // namespace axelram::kernels
