#include <algorithm>
#include <cmath>
#include <cstdint>

#include "attention/check_attention.hpp"
#include "axelram/half.hpp"
#include "axelram/kernels/attention.hpp"
#include "common/check_pages.hpp"
#include "device/launch.cuh"
#include "units/inverse_rotate.cuh"
#include "units/norm.cuh"
#include "units/softmax.cuh"
#include "units/tile.cuh"
#include "units/trellis.cuh"

namespace axelram::kernels {
namespace {

/// One token of one head in its page.
struct CacheRow {
  const Pages& pages;
  std::int32_t log2_dim;
  const std::uint8_t* at;  ///< its FP16 row, or the tile that holds it
  std::int32_t token;      ///< in the tile

  AXELRAM_HD CacheRow(const Pages& p, std::int32_t log2, const BlockTable& table,
                      std::int32_t sequence, std::int32_t position, std::int32_t head)
      : pages(p), log2_dim(log2), at(nullptr), token(position % kTileTokens) {
    const PageSlot slot = page_slot(p, table, sequence, position);
    at = p.kind == RowKind::fp16 ? head_of_page(p, slot.page, head) +
                                       static_cast<std::int64_t>(slot.token) * p.row_stride
                                 : tile_of(p, slot.page, head, slot.token);
  }
  AXELRAM_HD float element(std::int32_t dim) const {
    return float_of_half(
        static_cast<std::uint16_t>(at[2 * dim] | static_cast<unsigned>(at[2 * dim + 1]) << 8));
  }
  AXELRAM_HD std::int32_t index(std::int32_t dim) const {
    const int b = pages.index_bits, vector = tile_vector_words(pages.head_dim, b);
    const PayloadSlot slot = payload_slot(pages.values, log2_dim, token, dim);
    std::int32_t index = 0;
    for (int bit = 0; bit < b; ++bit) {
      const PayloadBit p = payload_bit(b, slot.index, bit);
      const std::uint8_t byte = at[4 * tile_word(vector, slot.lane, p.word) + p.bit / 8];
      index |= (byte >> (p.bit % 8) & 1) << bit;
    }
    return index;
  }
  /// The lowest bits of the indices before `dim`, as a state of a trellis.
  AXELRAM_HD std::uint32_t state_before(std::int32_t dim) const {
    std::uint32_t state = 0;
    for (std::int32_t i = dim < 4 ? 0 : dim - 4; i < dim; ++i)
      state = 2 * state + (static_cast<std::uint32_t>(index(i)) & 1U);
    return state;
  }
  AXELRAM_HD float norm() const {
    const std::uint8_t* const p = at + tile_norm(pages.head_dim, pages.index_bits, token);
    return norm_value(static_cast<std::uint16_t>(p[0] | static_cast<unsigned>(p[1]) << 8));
  }
};

struct GeneralArguments {
  AttentionShape shape;
  AttentionCache cache;
  AttentionQueries queries;
  std::int32_t log2_dim;
  double score_factor;
  float* out;
};

/// <q, k> * scale in base 2; exact but for the last product, or for the FP16 sum in FP64.
AXELRAM_DEVICE float score_of(const GeneralArguments& a, std::int64_t row, const CacheRow& key) {
  const std::int32_t d = a.shape.head_dim;
  if (a.cache.keys.kind == RowKind::fp16) {
    double sum = 0;
    for (std::int32_t i = 0; i < d; ++i)
      sum += static_cast<double>(float_of_half(a.queries.fp16[row * d + i])) *
             static_cast<double>(key.element(i));
    return static_cast<float>(sum * a.score_factor);
  }
  const MacroConstants& constants = a.cache.key_constants;
  std::int64_t acc = 0;
  std::uint32_t state = 0;
  for (std::int32_t i = 0; i < d; ++i) {
    const std::int32_t u =
        a.queries.u != nullptr ? a.queries.u[row * d + i] : a.queries.u8[row * d + i];
    const auto index = static_cast<std::uint32_t>(key.index(i));
    acc += static_cast<std::int64_t>(u) *
           constants.centroids[next_level(constants.states, index, state)];
  }
  const double product = static_cast<double>(acc) * static_cast<double>(key.norm());
  return static_cast<float>(std::ldexp(product, a.queries.exponents[row]) * a.score_factor);
}

/// Block (query head): one warp, a token in each lane for its score, then d / 32 dimensions in each
/// lane for the values.
template <int kPerLane>
AXELRAM_KERNEL void attend_one(GeneralArguments a) {
  const auto row = static_cast<std::int64_t>(block_x());
  const auto lane = static_cast<std::int32_t>(lane_index());
  const std::int32_t heads = a.shape.heads * a.shape.group;
  const std::int64_t query = row / heads;
  const std::int32_t head = static_cast<std::int32_t>(row % heads) / a.shape.group;
  const std::int32_t sequence = a.queries.sequence[query], visible = a.queries.visible[query];
  const bool records = a.cache.values.kind != RowKind::fp16;

  SoftmaxReference reference;
  float sum = 0, x[kPerLane] = {};
  for (std::int32_t first = 0; first < visible; first += kTileTokens) {
    const std::int32_t tokens = visible - first < kTileTokens ? visible - first : kTileTokens;
    float score = -HUGE_VALF;
    if (lane < tokens)
      score =
          score_of(a, row, {a.cache.keys, a.log2_dim, a.cache.table, sequence, first + lane, head});
    SoftmaxReference now{std::fmax(reference.maximum, score), 0};
    for (unsigned mask = 1; mask < 32; mask *= 2)
      now.maximum = std::fmax(now.maximum, shuffle_xor(now.maximum, mask));
    const float factor = change_of_reference(reference, now);
    reference = now;
    const float p = exp2_fast(score - now.maximum);
    sum = sum * factor + p;
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) x[i] *= factor;
    for (std::int32_t j = 0; j < tokens; ++j) {
      const CacheRow value(a.cache.values, a.log2_dim, a.cache.table, sequence, first + j, head);
      const float weight = shuffle(p, static_cast<unsigned>(j)) * (records ? value.norm() : 1.0F);
      const MacroConstants& constants = a.cache.value_constants;
      std::uint32_t state =
          records && constants.states != 0 ? value.state_before(kPerLane * lane) : 0;
      AXELRAM_UNROLL
      for (int i = 0; i < kPerLane; ++i) {
        const std::int32_t dim = kPerLane * lane + i;
        float v = 0;
        if (records) {
          const auto index = static_cast<std::uint32_t>(value.index(dim));
          v = static_cast<float>(constants.centroids[next_level(constants.states, index, state)]);
        } else {
          v = value.element(dim);
        }
        x[i] = multiply_add(weight, v, x[i]);
      }
    }
  }
  for (unsigned mask = 1; mask < 32; mask *= 2) sum += shuffle_xor(sum, mask);
  const float scale = sum > 0 ? 1 / sum : 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) x[i] *= scale;
  if (records)
    inverse_rotate(x, a.cache.value_signs + head * a.shape.head_dim,
                   static_cast<float>(a.cache.value_constants.score_scale));
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) a.out[row * 32 * kPerLane + kPerLane * lane + i] = x[i];
}

}  // namespace

void attend_general(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                    const AttentionQueries& queries, float* out) {
  check_attention("attend_general", shape, cache, queries);
  if (cache.keys.kind == RowKind::codewords || cache.values.kind == RowKind::codewords)
    throw DeviceError("attend_general(" + text_of(shape, cache, queries) +
                      "): these codewords must be decoded first");
  const GeneralArguments a{
      shape, cache, queries, log2_of(shape.head_dim), score_factor(shape, cache), out};
  const auto kernel = shape.head_dim == 32    ? attend_one<1>
                      : shape.head_dim == 64  ? attend_one<2>
                      : shape.head_dim == 128 ? attend_one<4>
                                              : attend_one<8>;
  launch(stream,
         {"attend_general", text_of(shape, cache, queries),
          queries.count * static_cast<std::size_t>(shape.heads * shape.group), 1, 1, 32},
         kernel, a);
}

}  // namespace axelram::kernels
