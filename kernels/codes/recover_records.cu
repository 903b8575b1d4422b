#include "axelram/record.hpp"
#include "codes/coded_rows.cuh"
#include "units/coded_tile.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kWarps = 4, kTokens = 32;

struct RecoverArguments {
  CodeView code;
  ErasurePolicy policy;
  std::int32_t d, index_bits, bits;
  std::uint64_t tokens, heads, sequences, tiles;  ///< tiles: of a sequence and head
  const std::uint32_t* codewords;
  std::uint64_t codeword_stride;                         ///< in words
  unsigned code_words;                                   ///< of a record
  unsigned codeword_words;                               ///< 32-bit words of its codewords
  unsigned staged_stride, record_stride, status_stride;  ///< in words of shared memory
  std::uint8_t* records;
  std::uint64_t row_stride;
  CodeCounts* counts;

  /// Shared words of a warp.
  AXELRAM_HD unsigned warp_words() const {
    return (kTokens * staged_stride + (kTokens + 2) * (record_stride + status_stride) + 8) / 8 * 8;
  }
};

/// A warp writes a record of `halfwords` 16-bit words.
AXELRAM_DEVICE void store_record(std::uint8_t* to, const std::uint32_t* record,
                                 unsigned halfwords) {
  const auto* const from = reinterpret_cast<const std::uint16_t*>(record);
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % 2 == 0;
  for (unsigned i = lane_index(); i < halfwords; i += 32) {
    if (aligned) {
      reinterpret_cast<std::uint16_t*>(to)[i] = from[i];
    } else {
      to[2 * i] = static_cast<std::uint8_t>(from[i]);
      to[2 * i + 1] = static_cast<std::uint8_t>(from[i] >> 8);
    }
  }
}

/// A warp takes 32 tokens of one head. Bytes per record of d = 128, b = 3 under golay24: 102 read,
/// 50 written.
template <class Coder, bool kPairs>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kWarps, 6) recover_kernel(RecoverArguments a) {
  auto* const table = shared_memory<std::uint32_t>();
  const Coder coder = coder_of_block<Coder>(a.code, table);
  sync_block();
  std::uint32_t* const staged = table + Coder::kTableBytes / 4 + warp_index() * a.warp_words();
  StatusCounts counted;
  const std::uint64_t all = a.tiles * a.sequences * a.heads;
  for (std::uint64_t number = std::uint64_t{block_x()} * kWarps + warp_index(); number < all;
       number += std::uint64_t{grid_x()} * kWarps) {
    const std::uint64_t line = number / a.tiles, first = (number - line * a.tiles) * kTokens;
    const std::uint64_t sequence = line / a.heads, head = line - sequence * a.heads;
    const std::uint64_t row = (sequence * a.tokens + first) * a.heads + head;
    const std::uint64_t left = a.tokens - first;
    CodedTile tile{};
    tile.bits = a.bits;
    tile.tokens = static_cast<int>(left < kTokens ? left : kTokens);
    const std::uint32_t* const from = a.codewords + row * a.codeword_stride;
    const std::uint64_t step = a.heads * a.codeword_stride;
    tile.codewords = staged;
    tile.codeword_stride = static_cast<int>(a.staged_stride);
    tile.before = first > 0 ? from - step : nullptr;
    tile.after = left > kTokens ? from + kTokens * step : nullptr;
    tile.records = staged + kTokens * a.staged_stride;
    tile.record_stride = static_cast<int>(a.record_stride);
    tile.statuses = tile.records + (kTokens + 2) * a.record_stride;
    tile.status_stride = static_cast<int>(a.status_stride);
    for (int token = 0; token < tile.tokens; ++token)
      for (unsigned word = lane_index(); word < a.codeword_words; word += 32)
        copy_async4(staged + static_cast<unsigned>(token) * a.staged_stride + word,
                    from + static_cast<unsigned>(token) * step + word);
    commit_async();
    wait_async<0>();
    sync_warp();
    const std::uint32_t detected = decode_tile<Coder, kPairs>(coder, tile, &counted);
    sync_warp();
    repair_tile<Coder, kPairs>(coder, tile, a.policy, a.d, a.index_bits, detected);
    for (int token = 0; token < tile.tokens; ++token)
      store_record(a.records + (row + static_cast<unsigned>(token) * a.heads) * a.row_stride,
                   tile.record(token), static_cast<unsigned>(a.bits) / 16);
    sync_warp();
  }
  if (a.counts == nullptr) return;
  CodedRows c{};
  c.count = a.tokens * a.sequences * a.heads;
  c.words = a.code_words;
  add_counts(c, counted, a.counts);
}

void check(const Launch& l, const DeviceCode& code, int d, int index_bits,
           const std::uint8_t* codewords, std::size_t codeword_stride, std::size_t codeword_bytes,
           std::size_t row_stride) {
  const bool known = (d == 32 || d == 64 || d == 128 || d == 256) && index_bits >= 1 &&
                     index_bits <= 4 && code.view().kernel != CodeKernel::table;
  if (!known)
    throw DeviceError(l.text() + ": d must be 32, 64, 128 or 256, the index have 1 to 4 bits and " +
                      "the code be hamming74, hamming84 or golay24");
  if (reinterpret_cast<std::uintptr_t>(codewords) % 4 != 0 || codeword_stride % 4 != 0 ||
      codeword_stride < codeword_bytes)
    throw DeviceError(l.text() + ": codewords must begin, and follow each other, at multiples of " +
                      "4 bytes that hold " + std::to_string(codeword_bytes));
  if (row_stride < static_cast<std::size_t>(record_bytes(d, index_bits)))
    throw DeviceError(l.text() + ": a stride of " + std::to_string(row_stride) +
                      " bytes; records have " + std::to_string(record_bytes(d, index_bits)));
}

}  // namespace

void recover_records(Stream& stream, const DeviceCode& code, ErasurePolicy policy, int d,
                     int index_bits, const TokenRows& rows, const std::uint8_t* codewords,
                     std::size_t codeword_stride, std::uint8_t* records, std::size_t row_stride,
                     CodeCounts* counts) {
  if (rows.count() == 0) return;
  RecoverArguments a{};
  Launch l{"recover_records",
           code.code().name + " [" + std::to_string(rows.sequences) + ", " +
               std::to_string(rows.tokens) + ", " + std::to_string(rows.heads) +
               "], d = " + std::to_string(d) + ", b = " + std::to_string(index_bits),
           0,
           1,
           1,
           32 * kWarps,
           0};
  const auto bits = static_cast<std::size_t>(d) * static_cast<std::size_t>(index_bits) + 16;
  const std::size_t bytes = code.code().codeword_bytes(bits);
  check(l, code, d, index_bits, codewords, codeword_stride, bytes, row_stride);
  a.code = code.view();
  a.policy = policy;
  a.d = d;
  a.index_bits = index_bits;
  a.bits = static_cast<std::int32_t>(bits);
  a.tokens = rows.tokens;
  a.heads = rows.heads;
  a.sequences = rows.sequences;
  a.tiles = (rows.tokens + kTokens - 1) / kTokens;
  a.codewords = reinterpret_cast<const std::uint32_t*>(codewords);
  a.codeword_stride = codeword_stride / 4;
  a.code_words = static_cast<unsigned>(code.code().words(bits));
  a.codeword_words = static_cast<unsigned>((bytes + 3) / 4);
  a.record_stride = static_cast<unsigned>((bits + 31) / 32) | 1;
  a.status_stride = static_cast<unsigned>((code.code().words(bits) + 15) / 16) | 1;
  a.records = records;
  a.row_stride = row_stride;
  a.counts = counts;
  const std::size_t blocks = (a.tiles * a.sequences * a.heads + kWarps - 1) / kWarps;
  l.grid_x = std::min(blocks, static_cast<std::size_t>(code.multiprocessors()) * 8);
  visit_coder(a.code.kernel, [&](auto coder) {
    using Coder = decltype(coder);
    if constexpr (!std::is_same_v<Coder, NoCoder>) {
      constexpr bool kPairs = kFetchesPairs<Coder>;
      a.staged_stride = kPairs ? (a.codeword_words + 1) / 4 * 4 + 2 : a.codeword_words | 1;
      l.shared_bytes = Coder::kTableBytes + std::size_t{4} * kWarps * a.warp_words();
      launch(stream, l, recover_kernel<Coder, kPairs>, a);
    }
  });
}

}  // namespace axelram::kernels
