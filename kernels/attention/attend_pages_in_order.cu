#include <cstdint>

#include "attention/cache_row.cuh"
#include "attention/check_attention.hpp"
#include "attention/head_in_order.cuh"
#include "axelram/kernels/attend_in_order.hpp"
#include "common/check_pages.hpp"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
#include "units/exact.cuh"
#include "units/exact_rows.cuh"
#include "units/trellis.cuh"

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

/// The lane's channels of the tokens of one query head.
template <int kDim>
struct QueryHead {
  static constexpr int kChannels = kDim / 32;
  const PagesInOrder& a;
  std::size_t row;  ///< of the query head
  std::int32_t head, sequence, exact_sequence, visible;
  std::int32_t first, exponent;  ///< channel of the lane, e_u
  std::int32_t u[kChannels];

  AXELRAM_DEVICE QueryHead(const PagesInOrder& arguments, std::size_t at) : a(arguments), row(at) {
    const auto heads = static_cast<std::size_t>(a.shape.heads * a.shape.group);
    const AttentionQueries& q = a.queries;
    const std::size_t query = row / heads;
    head = static_cast<std::int32_t>(row % heads) / a.shape.group;
    sequence = load(q.sequence + query);
    exact_sequence = q.exact_sequence != nullptr ? load(q.exact_sequence + query) : sequence;
    visible = load(q.visible + query);
    first = kChannels * static_cast<std::int32_t>(lane_index());
    exponent = load(q.exponents + row);
    AXELRAM_UNROLL
    for (int i = 0; i < kChannels; ++i) {
      const std::size_t element = row * kDim + static_cast<std::size_t>(first + i);
      u[i] = q.u != nullptr ? load(q.u + element) : load(q.u8 + element);
    }
  }

  AXELRAM_DEVICE CacheRow key(std::int32_t token) const {
    return {a.cache.keys, a.log2_dim, a.cache.table, sequence, token, head};
  }
  AXELRAM_DEVICE CacheRow value(std::int32_t token) const {
    return {a.cache.values, a.log2_dim, a.cache.table, sequence, token, head};
  }

  AXELRAM_DEVICE float score(std::int32_t token) const {
    const ExactRows& exact = a.cache.exact_keys;
    const MacroConstants& c = a.cache.key_constants;
    bool saturated = false;
    std::int64_t acc = 0;
    if (is_exact(exact, token, visible)) {
      const std::int64_t slot = exact_row(exact, exact_sequence, head, token);
      AXELRAM_UNROLL
      for (int i = 0; i < kChannels; ++i)
        acc += std::int64_t{u[i]} *
               static_cast<std::int16_t>(load(exact.elements + slot * kDim + first + i));
      return score_copy_ref(over_warp(acc, Sum()), exponent, load(exact.exponents + slot),
                            c.centroid_bits, &saturated);
    }
    const CacheRow record = key(token);
    const TilePart part = record.part(0);
    std::uint32_t state = c.states != 0 ? record.state_before(part, first) : 0;
    AXELRAM_UNROLL
    for (int i = 0; i < kChannels; ++i) {
      const auto index = static_cast<std::uint32_t>(record.index(part, first + i));
      acc += std::int64_t{u[i]} * c.centroids[next_level(c.states, index, state)];
    }
    return score_ref(over_warp(acc, Sum()), record.norm_bits(part), exponent, &saturated);
  }
};

/// A token takes the bits of two records, read one by one, some 60 instructions for its weight and
/// 10 a channel: the latency of its loads is the limit.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kWarps, 1)
    attend_pages_in_order_kernel(PagesInOrder a, AttentionConstants attention) {
  constexpr int kChannels = kDim / 32;
  const MacroConstants& values = a.cache.value_constants;
  auto* const rom = shared_memory<AttentionRom>();
  rom->fill(values, attention);
  sync_block();
  const std::size_t row = std::size_t{block_x()} * kWarps + warp_index();
  if (row >= a.queries.count * static_cast<std::size_t>(a.shape.heads * a.shape.group)) return;

  const QueryHead<kDim> query(a, row);
  HeadInOrder<kDim> head;
  for (std::int32_t token = 0; token < query.visible; ++token) {
    bool saturated = false;
    const std::int32_t z = logit_ref(query.score(token), attention.softmax_significand,
                                     attention.softmax_exponent, &saturated);
    const CacheRow value = query.value(token);
    const TilePart part = value.part(0);
    std::uint32_t state = values.states != 0 ? value.state_before(part, query.first) : 0;
    head.add(z, value.norm_bits(part), *rom, attention, [&](int i) {
      return next_level(values.states,
                        static_cast<std::uint32_t>(value.index(part, query.first + i)), state);
    });
  }

  const HeadOutput<kChannels> done =
      head.finish(values, attention, a.cache.value_rotations.signs + query.head * kDim);
  AXELRAM_UNROLL
  for (int i = 0; i < kChannels; ++i) {
    const std::uint32_t bits = done.bits[i];
    a.out[row * kDim + static_cast<std::size_t>(query.first + i)] =
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
  const Launch l{kName, shapes,      (rows + kWarps - 1) / kWarps, 1,
                 1,     32 * kWarps, sizeof(AttentionRom)};
  const auto run = [&](auto kernel) { launch(stream, l, kernel, a, attention); };
  if (shape.head_dim == 32) return run(attend_pages_in_order_kernel<32>);
  if (shape.head_dim == 64) return run(attend_pages_in_order_kernel<64>);
  if (shape.head_dim == 128) return run(attend_pages_in_order_kernel<128>);
  run(attend_pages_in_order_kernel<256>);
}

}  // namespace axelram::kernels
