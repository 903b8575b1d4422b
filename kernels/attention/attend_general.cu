#include <algorithm>
#include <cmath>
#include <cstdint>

#include "attention/attend_exact.cuh"
#include "attention/cache_row.cuh"
#include "attention/check_attention.hpp"
#include "axelram/kernels/attention.hpp"
#include "common/check_pages.hpp"
#include "device/launch.cuh"
#include "units/align.cuh"
#include "units/exact_rows.cuh"
#include "units/inverse_rotate.cuh"
#include "units/score.cuh"
#include "units/softmax.cuh"
#include "units/trellis.cuh"

namespace axelram::kernels {
namespace {

struct GeneralArguments {
  AttentionShape shape;
  AttentionCache cache;
  AttentionQueries queries;
  std::int32_t log2_dim;
  double score_factor;
  bool only_exact;   ///< only tokens that are exact in keys or in values
  ExactParts parts;  ///< if only_exact
  float* out;        ///< otherwise
};

/// Tokens of one query and KV head, and where they lie.
struct QueryTokens {
  std::int64_t row;  ///< of the query head
  std::int32_t head, sequence, exact_sequence, visible;
};

/// The score in base 2 of an exact sum times 2^exponent: exact but for the last product.
AXELRAM_DEVICE float score_of_sum(const GeneralArguments& a, double sum, std::int32_t exponent) {
  return static_cast<float>(std::ldexp(sum, exponent) * a.score_factor);
}

/// Element i of u, or of v from i = d on.
AXELRAM_DEVICE std::int64_t query_element(const GeneralArguments& a, std::int64_t row,
                                          std::int32_t i) {
  const AttentionQueries& q = a.queries;
  if (i >= a.shape.head_dim) {
    const std::int64_t at = (row - 1) * a.shape.head_dim + i;
    return q.v != nullptr ? q.v[at] : q.v8[at];
  }
  const std::int64_t at = row * a.shape.head_dim + i;
  return q.u != nullptr ? q.u[at] : q.u8[at];
}

/// <q, k> * scale in base 2 of FP16 keys, summed in FP64.
AXELRAM_DEVICE float score_row(const GeneralArguments& a, std::int64_t row, const CacheRow& key) {
  double sum = 0;
  for (std::int32_t i = 0; i < a.shape.head_dim; ++i)
    sum += static_cast<double>(float_of_half(a.queries.fp16[row * a.shape.head_dim + i])) *
           static_cast<double>(key.element(i));
  return static_cast<float>(sum * a.score_factor);
}

/// Sum and norm of a part of a record, and the exponent of its term.
AXELRAM_DEVICE ScoreTerm score_term(const GeneralArguments& a, std::int64_t row,
                                    const CacheRow& key, int number) {
  const MacroConstants& constants = a.cache.key_constants;
  const std::int32_t* const centroids =
      number == 0 ? constants.centroids : constants.second.centroids;
  const TilePart part = key.part(number);
  const std::int32_t first = number * part.dim;
  ScoreTerm term{0, key.norm_bits(part), a.queries.exponents[row]};
  std::uint32_t state = 0;
  for (std::int32_t i = 0; i < part.dim; ++i) {
    const auto index = static_cast<std::uint32_t>(key.index(part, i));
    const std::uint32_t level = next_level(constants.states, index, state);
    term.acc += query_element(a, row, first + i) * centroids[level];
  }
  if (number == 1 && constants.prod)
    term.exponent = a.queries.residual_exponents[row] + residual_exponent(constants.log2_dim);
  return term;
}

/// The same of a record.
AXELRAM_DEVICE float score_record(const GeneralArguments& a, std::int64_t row,
                                  const CacheRow& key) {
  const MacroConstants& constants = a.cache.key_constants;
  const ScoreTerm first = score_term(a, row, key, 0);
  if (constants.two_parts()) {
    bool saturated = false;
    const float score = score_sum_ref(first, score_term(a, row, key, 1),
                                      constants.prod ? constants.residual_scale : 1, &saturated);
    return static_cast<float>(static_cast<double>(score) * a.score_factor);
  }
  return score_of_sum(a,
                      static_cast<double>(first.acc) * static_cast<double>(norm_value(first.norm)),
                      first.exponent);
}

/// The same of a copy, whose elements are loaded eight at a time.
AXELRAM_DEVICE float score_copy(const GeneralArguments& a, const QueryTokens& q,
                                std::int32_t token) {
  const ExactRows& rows = a.cache.exact_keys;
  const std::int64_t slot = exact_row(rows, q.exact_sequence, q.head, token);
  const auto* const from = reinterpret_cast<const Words4*>(rows.elements + slot * a.shape.head_dim);
  std::int64_t acc = 0;
  for (std::int32_t i = 0; i < a.shape.head_dim / 8; ++i) {
    const Words4 eight = load(from + i);
    for (std::int32_t j = 0; j < 8; ++j)
      acc += query_element(a, q.row, 8 * i + j) *
             static_cast<std::int16_t>(eight.w[j / 2] >> (16 * (j % 2)));
  }
  return score_of_sum(
      a, static_cast<double>(acc),
      a.queries.exponents[q.row] + rows.exponents[slot] + a.cache.key_constants.centroid_bits - 2);
}

AXELRAM_DEVICE float score_of(const GeneralArguments& a, const QueryTokens& q, std::int32_t token) {
  if (is_exact(a.cache.exact_keys, token, q.visible)) return score_copy(a, q, token);
  const CacheRow key(a.cache.keys, a.log2_dim, a.cache.table, q.sequence, token, q.head);
  return a.cache.keys.kind == RowKind::fp16 ? score_row(a, q.row, key)
                                            : score_record(a, q.row, key);
}

/// Weighted sums of values, kPerLane dimensions in each lane: those of records stay in the rotated
/// domain, and those of residual signs in that of the second rotation.
template <int kPerLane>
struct ValueSums {
  float plain[kPerLane] = {}, rotated[kPerLane] = {}, residual[kPerLane] = {};

  AXELRAM_DEVICE void rescale(float factor) {
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
      plain[i] *= factor;
      rotated[i] *= factor;
      residual[i] *= factor;
    }
  }

  AXELRAM_DEVICE void add(const GeneralArguments& a, const QueryTokens& q, std::int32_t token,
                          float weight) {
    const std::int32_t first = kPerLane * static_cast<std::int32_t>(lane_index());
    const ExactRows& exact = a.cache.exact_values;
    if (is_exact(exact, token, q.visible)) {
      const std::uint16_t* const row =
          exact.elements + exact_row(exact, q.exact_sequence, q.head, token) * (32 * kPerLane);
      AXELRAM_UNROLL
      for (int i = 0; i < kPerLane; ++i) {
        const std::uint16_t element = load(row + first + i);
        const float x = a.cache.value_constants.bf16 ? float_of_element<true>(element)
                                                     : float_of_element<false>(element);
        plain[i] = multiply_add(weight, x, plain[i]);
      }
      return;
    }
    const CacheRow value(a.cache.values, a.log2_dim, a.cache.table, q.sequence, token, q.head);
    if (a.cache.values.kind == RowKind::fp16) {
      AXELRAM_UNROLL
      for (int i = 0; i < kPerLane; ++i)
        plain[i] = multiply_add(weight, value.element(first + i), plain[i]);
      return;
    }
    // The lane's elements lie in one part of a record; residual signs are another part of them all.
    const MacroConstants& constants = a.cache.value_constants;
    const bool second = constants.split && first >= 16 * kPerLane;
    const TilePart part = value.part(second ? 1 : 0);
    const std::int32_t* const centroids = second ? constants.second.centroids : constants.centroids;
    const std::int32_t begin = second ? first - part.dim : first;
    const float scaled = weight * value.norm(part);
    std::uint32_t state = constants.states != 0 ? value.state_before(part, begin) : 0;
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
      const auto index = static_cast<std::uint32_t>(value.index(part, begin + i));
      const std::uint32_t level = next_level(constants.states, index, state);
      rotated[i] = multiply_add(scaled, static_cast<float>(centroids[level]), rotated[i]);
    }
    if (!constants.prod) return;
    const TilePart signs = value.part(1);
    const float size = weight * value.norm(signs);
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i)
      residual[i] += value.index(signs, begin + i) != 0 ? -size : size;
  }

  /// plain becomes factor times the sum of all, out of the rotated domains.
  AXELRAM_DEVICE void finish(const GeneralArguments& a, std::int32_t head, float factor) {
    rescale(factor);
    if (a.cache.values.kind == RowKind::fp16) return;
    const MacroConstants& constants = a.cache.value_constants;
    const Rotations& rotations = a.cache.value_rotations;
    const std::int32_t of_head = head * (32 * kPerLane);
    if (constants.prod) {
      inverse_rotate(residual, rotations.residual_signs + of_head,
                     static_cast<float>(std::ldexp(static_cast<double>(constants.residual_scale),
                                                   residual_exponent(constants.log2_dim))));
      AXELRAM_UNROLL
      for (int i = 0; i < kPerLane; ++i) rotated[i] += residual[i];
    }
    const auto scale = static_cast<float>(constants.score_scale);
    if (constants.split)
      inverse_rotate<16>(rotated, rotations.signs + of_head, scale);
    else
      inverse_rotate(rotated, rotations.signs + of_head, scale);
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) plain[i] += rotated[i];
  }
};

/// Block (query head): one warp, a token in each lane for its score, then d / 32 dimensions in each
/// lane for the values. Exact tokens are at most 80: their loads' latency is the limit.
template <int kPerLane>
AXELRAM_KERNEL void attend_one(GeneralArguments a) {
  const auto row = static_cast<std::int64_t>(block_x());
  const auto lane = static_cast<std::int32_t>(lane_index());
  const std::int32_t heads = a.shape.heads * a.shape.group;
  const std::int64_t query = row / heads;
  QueryTokens q{row, static_cast<std::int32_t>(row % heads) / a.shape.group,
                a.queries.sequence[query], a.queries.sequence[query], a.queries.visible[query]};
  if (a.queries.exact_sequence != nullptr) q.exact_sequence = a.queries.exact_sequence[query];
  PagedTokens skipped{0, 0};
  if (a.only_exact) {
    const ExactSpan span = exact_span(a.cache.exact_keys, a.cache.exact_values);
    skipped = paged_tokens(span.first, span.last, q.visible);
  }
  const std::int32_t count = q.visible - (skipped.end - skipped.begin);
  const auto token_at = [&](std::int32_t i) {
    return i < skipped.begin ? i : i - skipped.begin + skipped.end;
  };

  SoftmaxReference reference;
  float sum = 0;
  ValueSums<kPerLane> sums;
  for (std::int32_t first = 0; first < count; first += kTileTokens) {
    const std::int32_t tokens = count - first < kTileTokens ? count - first : kTileTokens;
    float score = -HUGE_VALF;
    if (lane < tokens) score = score_of(a, q, token_at(first + lane));
    SoftmaxReference now{std::fmax(reference.maximum, score), 0};
    for (unsigned mask = 1; mask < 32; mask *= 2)
      now.maximum = std::fmax(now.maximum, shuffle_xor(now.maximum, mask));
    const float factor = change_of_reference(reference, now);
    reference = now;
    const float p = exp2_fast(score - now.maximum);
    sum = sum * factor + p;
    sums.rescale(factor);
    for (std::int32_t j = 0; j < tokens; ++j)
      sums.add(a, q, token_at(first + j), shuffle(p, static_cast<unsigned>(j)));
  }
  for (unsigned mask = 1; mask < 32; mask *= 2) sum += shuffle_xor(sum, mask);
  const float scale = a.only_exact ? 1 : sum > 0 ? 1 / sum : 0;
  sums.finish(a, q.head, scale);
  float* const to = (a.only_exact ? a.parts.sums : a.out) + row * 32 * kPerLane;
  const std::uint16_t* const channels =
      a.cache.values.split ? a.cache.value_rotations.channels + q.head * (32 * kPerLane) : nullptr;
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) {
    const std::int32_t at = kPerLane * lane + i;
    to[channels != nullptr ? channels[at] : at] = sums.plain[i];
  }
  if (a.only_exact && lane == 0) a.parts.statistics[row] = {reference, sum, 0};
}

void launch_general(Stream& stream, const char* name, const GeneralArguments& a) {
  const auto kernel = a.shape.head_dim == 32    ? attend_one<1>
                      : a.shape.head_dim == 64  ? attend_one<2>
                      : a.shape.head_dim == 128 ? attend_one<4>
                                                : attend_one<8>;
  launch(stream,
         {name, text_of(a.shape, a.cache, a.queries),
          a.queries.count * static_cast<std::size_t>(a.shape.heads * a.shape.group), 1, 1, 32},
         kernel, a);
}

}  // namespace

void attend_exact(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                  const AttentionQueries& queries, const ExactParts& parts) {
  launch_general(stream, "attend_exact",
                 {shape, cache, queries, log2_of(shape.head_dim), score_factor(shape, cache), true,
                  parts, nullptr});
}

void attend_general(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                    const AttentionQueries& queries, float* out) {
  check_attention("attend_general", shape, cache, queries);
  if (cache.keys.kind == RowKind::codewords || cache.values.kind == RowKind::codewords)
    throw DeviceError("attend_general(" + text_of(shape, cache, queries) +
                      "): these codewords must be decoded first");
  launch_general(
      stream, "attend_general",
      {shape, cache, queries, log2_of(shape.head_dim), score_factor(shape, cache), false, {}, out});
}

}  // namespace axelram::kernels
