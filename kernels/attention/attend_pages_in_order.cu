#include <cstdint>
#include <type_traits>

#include "attention/check_attention.hpp"
#include "attention/head_in_order.cuh"
#include "axelram/kernels/attend_in_order.hpp"
#include "common/check_pages.hpp"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
#include "units/exact.cuh"
#include "units/exact_rows.cuh"
#include "units/level_tile.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kWarps = 4;  // of a block: a query head each

struct PagesInOrder {
  AttentionShape shape;
  AttentionCache cache;
  AttentionQueries queries;
  std::int32_t log2_dim;
  float* out;
};
static_assert(sizeof(PagesInOrder) + sizeof(AttentionConstants) <= 4096, "arguments of a kernel");

/// Shared memory of a warp.
template <int kDim>
struct QueryMemory {
  std::int32_t u[kDim];
  LevelTile<kDim> levels;  ///< of keys, then of their values
};
/// Shared memory of a block.
template <int kDim>
struct BlockMemory {
  AttentionRom rom;
  std::int32_t key_centroids[32];
  QueryMemory<kDim> query[kWarps];
};

/// One query head and the pages that it reads.
template <int kDim>
struct QueryHead {
  const PagesInOrder& a;
  QueryMemory<kDim>& memory;
  const std::int32_t* key_centroids;
  std::int32_t head, sequence, exact_sequence, visible, exponent;

  AXELRAM_DEVICE QueryHead(const PagesInOrder& arguments, BlockMemory<kDim>& block, std::size_t row)
      : a(arguments), memory(block.query[warp_index()]), key_centroids(block.key_centroids) {
    const auto heads = static_cast<std::size_t>(a.shape.heads * a.shape.group);
    const AttentionQueries& q = a.queries;
    const std::size_t query = row / heads;
    head = static_cast<std::int32_t>(row % heads) / a.shape.group;
    sequence = load(q.sequence + query);
    exact_sequence = q.exact_sequence != nullptr ? load(q.exact_sequence + query) : sequence;
    visible = load(q.visible + query);
    exponent = load(q.exponents + row);
    for (std::size_t i = lane_index(); i < kDim; i += 32)
      memory.u[i] = q.u != nullptr ? load(q.u + row * kDim + i) : load(q.u8 + row * kDim + i);
  }

  /// Makes the levels of 32 tokens from `first` on. Returns the norm of token `lane`.
  AXELRAM_DEVICE std::uint16_t fill(const Pages& pages, std::int32_t first, int states) {
    const PageSlot slot = page_slot(pages, a.cache.table, sequence, first);
    const std::uint8_t* const tile = tile_of(pages, slot.page, head, slot.token);
    const TilePart part = tile_part(pages, a.log2_dim, 0);
    memory.levels.fill(tile, part, pages.values, states);
    return load(reinterpret_cast<const std::uint16_t*>(tile + part.first_norm) + lane_index());
  }

  /// The score of token first + lane, if it is visible.
  AXELRAM_DEVICE float score(std::int32_t first) {
    const MacroConstants& c = a.cache.key_constants;
    const std::uint16_t norm = fill(a.cache.keys, first, c.states);
    const std::int32_t mine = first + static_cast<std::int32_t>(lane_index());
    const std::uint32_t* const levels = memory.levels.row(static_cast<int>(lane_index()));
    std::int64_t acc = 0;
    AXELRAM_UNROLL_BY_4
    for (int w = 0; w < kDim / 4; ++w) {
      const std::uint32_t four = levels[w];
      AXELRAM_UNROLL
      for (int k = 0; k < 4; ++k)
        acc += std::int64_t{memory.u[4 * w + k]} * key_centroids[four >> (8 * k) & 255U];
    }
    bool saturated = false;
    float score = score_ref(acc, norm, exponent, &saturated);

    const ExactRows& exact = a.cache.exact_keys;
    const bool copied = mine < visible && is_exact(exact, mine, visible);
    for (std::uint32_t copies = ballot(copied); copies != 0; copies &= copies - 1) {
      const std::int32_t token = first + lowest_one(copies);
      const float of_copy = score_of_copy(exact_row(exact, exact_sequence, head, token));
      if (token == mine) score = of_copy;
    }
    return score;
  }

 private:
  AXELRAM_DEVICE float score_of_copy(std::int64_t slot) const {
    const ExactRows& exact = a.cache.exact_keys;
    std::int64_t acc = 0;
    for (auto i = static_cast<std::int32_t>(lane_index()); i < kDim; i += 32)
      acc += std::int64_t{memory.u[i]} *
             static_cast<std::int16_t>(load(exact.elements + slot * kDim + i));
    bool saturated = false;
    return score_copy_ref(over_warp(acc, Sum()), exponent, load(exact.exponents + slot),
                          a.cache.key_constants.centroid_bits, &saturated);
  }
};

/// A warp takes a tile of 32 tokens at a time: it unpacks the keys' levels into shared memory,
/// gives each lane the score of a token, unpacks the values' levels, and adds token after token. At
/// d = 128 some 60 instructions a token, few of them on the path from one token to the next.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kWarps, 1)
    attend_pages_in_order_kernel(PagesInOrder a, AttentionConstants attention) {
  constexpr int kChannels = kDim / 32;
  const MacroConstants& values = a.cache.value_constants;
  auto& block = *shared_memory<BlockMemory<kDim>>();
  block.rom.fill(values, attention);
  if (thread_index() < 32)
    block.key_centroids[thread_index()] = a.cache.key_constants.centroids[thread_index()];
  sync_block();
  const std::size_t row = std::size_t{block_x()} * kWarps + warp_index();
  if (row >= a.queries.count * static_cast<std::size_t>(a.shape.heads * a.shape.group)) return;

  QueryHead<kDim> query(a, block, row);
  HeadInOrder<kDim> head;
  const int channel = kChannels * static_cast<int>(lane_index());
  for (std::int32_t first = 0; first < query.visible; first += kTileTokens) {
    const int count = query.visible - first < kTileTokens ? query.visible - first : kTileTokens;
    const bool here = static_cast<int>(lane_index()) < count;
    const float score = query.score(first);
    bool saturated = false;
    const std::int32_t z = logit_ref(here ? score : 0, attention.softmax_significand,
                                     attention.softmax_exponent, &saturated);
    const std::uint16_t norm = query.fill(a.cache.values, first, values.states);
    head.add(count, z, norm, block.rom, attention,
             [&](int token, int i) { return query.memory.levels.level(token, channel + i); });
  }

  const HeadOutput<kChannels> done =
      head.finish(values, attention, a.cache.value_rotations.signs + query.head * kDim);
  AXELRAM_UNROLL
  for (int i = 0; i < kChannels; ++i) {
    const std::uint32_t bits = done.bits[i];
    a.out[row * kDim + static_cast<std::size_t>(channel + i)] =
        attention.fp32 ? float_of_bits(bits) : float_of_half(static_cast<std::uint16_t>(bits));
  }
}

}  // namespace

void attend_pages_in_order(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                           const AttentionQueries& queries, const AttentionConstants& attention,
                           float* out) {
  constexpr const char* kName = "attend_pages_in_order";
  check_attention(kName, shape, cache, queries);
  const std::string shapes = text_of(shape, cache, queries);
  require(cache.keys.kind == RowKind::records && cache.values.kind == RowKind::records, kName,
          shapes, "keys and values must be records");
  require_one_part(kName, cache.key_constants);
  require_one_part(kName, cache.value_constants);
  require(!cache.exact_values.any(), kName, shapes, "values have no exact tokens");
  check_weight_bits(kName, shapes, attention);
  const PagesInOrder a{shape, cache, queries, log2_of(shape.head_dim), out};
  const std::size_t rows = queries.count * static_cast<std::size_t>(shape.heads * shape.group);
  const auto run = [&](auto d) {
    const Launch l{kName, shapes,      (rows + kWarps - 1) / kWarps, 1,
                   1,     32 * kWarps, sizeof(BlockMemory<d>)};
    launch(stream, l, attend_pages_in_order_kernel<d>, a, attention);
  };
  if (shape.head_dim == 32) return run(std::integral_constant<int, 32>());
  if (shape.head_dim == 64) return run(std::integral_constant<int, 64>());
  if (shape.head_dim == 128) return run(std::integral_constant<int, 128>());
  run(std::integral_constant<int, 256>());
}

}  // namespace axelram::kernels
