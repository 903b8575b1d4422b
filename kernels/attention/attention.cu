#include <algorithm>
#include <string>
#include <type_traits>

#include "attention/attend_combine.cuh"
#include "attention/attend_exact.cuh"
#include "attention/attend_kernels.cuh"
#include "attention/check_attention.hpp"
#include "axelram/kernels/attention.hpp"
#include "codes/visit_coder.cuh"
#include "common/check_pages.hpp"

namespace axelram::kernels {
namespace {

/// Records, in tiles or in codewords, of a trellis.
bool has_trellis(const Pages& pages, const MacroConstants& constants) {
  return pages.kind != RowKind::fp16 && constants.states != 0;
}

AttendKernel choose_kernel(const AttentionCache& cache) {
  const int d = cache.keys.head_dim;
  const bool trellis = has_trellis(cache.keys, cache.key_constants) ||
                       has_trellis(cache.values, cache.value_constants);
  const int key_bits = cache.key_constants.index_bits;
  const int value_bits = cache.value_constants.index_bits;
  const bool fp16_values = cache.values.kind == RowKind::fp16;
  switch (cache.keys.kind) {
    case RowKind::fp16:
      if (trellis) return attend_fp16_keys_trellis(d, value_bits);
      return fp16_values ? attend_fp16(d) : attend_fp16_keys(d, value_bits);
    case RowKind::records:
      if (cache.key_constants.two_parts()) {
        const auto kernel = cache.key_constants.prod ? attend_prod
                            : trellis                ? attend_split_trellis
                                                     : attend_split_parts;
        return kernel(d, fp16_values ? 0 : value_bits);
      }
      if (trellis)
        return fp16_values ? attend_trellis_keys(d, key_bits) : attend_trellis_records(d, key_bits);
      return fp16_values ? attend_record_keys(d, key_bits) : attend_records(d, key_bits);
    case RowKind::codewords:
      return visit_coder(cache.code->view().kernel, [&](auto coder) -> AttendKernel {
        if constexpr (std::is_same_v<decltype(coder), NoCoder>)
          throw DeviceError("attend: no kernel for codewords of " + cache.code->code().name);
        else
          return attend_coded<decltype(coder)>(d, key_bits, fp16_values);
      });
  }
  throw DeviceError("attend: no kernel for " + text_of(cache.keys));
}

std::int32_t head_blocks(const AttentionShape& shape) {
  return (shape.group + kBlockHeads - 1) / kBlockHeads;
}

int multiprocessors() {
  static const int count = device_info().multiprocessors;
  return count;
}

/// Number of splits of a context, and tiles in each.
struct Splits {
  std::int32_t count = 1, tiles = 1;
};

/// Minimises a model of the time, in units of one tile multiplied by a warp. The blocks run in
/// rounds of as many as the GPU holds at once. A round costs about three tiles for the start and
/// the end of a block, plus the tiles of a warp. Splits cost a second launch, which merges them.
Splits choose_splits(const AttentionShape& shape, std::size_t queries, std::int32_t max_visible,
                     int blocks) {
  const std::int32_t tiles = std::max(1, tiles_of(max_visible));
  const auto cut = [&](std::int64_t splits) {
    const auto parts = static_cast<std::int32_t>((tiles + splits - 1) / splits);
    return Splits{(tiles + parts - 1) / parts, parts};
  };
  if (shape.splits > 0) return cut(shape.splits);
  const std::size_t units = queries * static_cast<std::size_t>(shape.heads) *
                            static_cast<std::size_t>(head_blocks(shape));
  const std::size_t resident = static_cast<std::size_t>(multiprocessors() * blocks);
  const auto cost = [&](const Splits& s) {
    const std::size_t rounds =
        (units * static_cast<std::size_t>(s.count) + resident - 1) / resident;
    const std::int32_t warp_tiles = (s.tiles + kAttendWarps - 1) / kAttendWarps;
    const std::int32_t merge = s.count == 1 ? 0 : 2 + s.count / 16;
    return rounds * static_cast<std::size_t>(3 + warp_tiles) + static_cast<std::size_t>(merge);
  };
  Splits best = cut(1);
  const std::size_t max_splits =
      units >= 4 * resident ? 1 : 4 * resident / std::max<std::size_t>(units, 1);
  for (std::size_t n = 2; n <= max_splits && best.tiles > 1; ++n) {
    const Splits s = cut(static_cast<std::int64_t>(n));
    if (cost(s) < cost(best)) best = s;
    if (s.tiles <= kAttendWarps) break;
  }
  return best;
}

std::size_t query_rows(const AttentionShape& shape, std::size_t queries) {
  return queries * static_cast<std::size_t>(shape.heads * shape.group);
}

std::size_t split_bytes(const AttentionShape& shape) {
  return static_cast<std::size_t>(shape.head_dim) * sizeof(float) + sizeof(SplitStatistics);
}

bool has_exact(const AttentionCache& cache) {
  return cache.exact_keys.any() || cache.exact_values.any();
}

/// False if keys or values are codewords that attend_coded() does not take.
bool has_fast_code(const AttentionCache& cache) {
  if (cache.keys.kind != RowKind::codewords) return cache.values.kind != RowKind::codewords;
  if (has_trellis(cache.keys, cache.key_constants) ||
      has_trellis(cache.values, cache.value_constants))
    return false;
  if (cache.values.kind == RowKind::records) return false;
  return visit_coder(cache.code->view().kernel, [&](auto coder) {
    if constexpr (std::is_same_v<decltype(coder), NoCoder>) {
      return false;
    } else {
      constexpr int kAlignment = kFetchesPairs<decltype(coder)> ? 8 : 4;
      return cache.keys.row_stride % kAlignment == 0 &&
             (cache.values.kind == RowKind::fp16 || cache.values.row_stride % kAlignment == 0);
    }
  });
}

/// The part of exact tokens lies behind those of splits.
ExactParts exact_parts(const AttentionShape& shape, std::size_t rows, std::int32_t splits,
                       void* workspace) {
  const std::size_t before = splits == 1 ? 0 : static_cast<std::size_t>(splits);
  auto* const sums = reinterpret_cast<float*>(static_cast<unsigned char*>(workspace) +
                                              rows * before * split_bytes(shape));
  return {
      reinterpret_cast<SplitStatistics*>(sums + rows * static_cast<std::size_t>(shape.head_dim)),
      sums};
}

}  // namespace

bool has_fast_attention(const AttentionShape& shape, const AttentionCache& cache,
                        const AttentionQueries& queries) {
  const auto fast_rows = [](const Pages& p) {
    return p.kind != RowKind::fp16 || p.row_stride % 16 == 0;
  };
  const bool key_records = cache.keys.kind != RowKind::fp16;
  const bool value_records = cache.values.kind != RowKind::fp16;
  if (!has_fast_code(cache)) return false;
  if (shape.head_dim != 64 && shape.head_dim != 128) return false;
  if (!fast_rows(cache.keys) || !fast_rows(cache.values)) return false;
  if (key_records && (queries.u8 == nullptr || cache.key_constants.query_bits > 8 ||
                      cache.key_constants.centroid_bits > 8))
    return false;
  if (value_records &&
      (cache.value_constants.centroid_bits > 8 || cache.value_constants.two_parts()))
    return false;
  if (key_records && cache.key_constants.two_parts()) {
    if (cache.key_constants.prod && queries.v8 == nullptr) return false;
    return !value_records || has_trellis(cache.keys, cache.key_constants) ==
                                 has_trellis(cache.values, cache.value_constants);
  }
  return !key_records || !value_records ||
         (cache.key_constants.index_bits == cache.value_constants.index_bits &&
          has_trellis(cache.keys, cache.key_constants) ==
              has_trellis(cache.values, cache.value_constants));
}

std::size_t attention_workspace(const AttentionShape& shape, const AttentionCache& cache,
                                const AttentionQueries& queries, std::int32_t max_visible) {
  check_attention("attention_workspace", shape, cache, queries);
  if (!has_fast_attention(shape, cache, queries)) return 0;
  const Splits splits =
      choose_splits(shape, queries.count, max_visible, choose_kernel(cache).blocks);
  const std::size_t parts =
      static_cast<std::size_t>(splits.count == 1 ? 0 : splits.count) + (has_exact(cache) ? 1 : 0);
  return query_rows(shape, queries.count) * parts * split_bytes(shape);
}

std::size_t exact_workspace(const AttentionShape& shape, std::size_t queries) {
  return query_rows(shape, queries) * split_bytes(shape);
}

void attend(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
            const AttentionQueries& queries, std::int32_t max_visible, void* workspace,
            float* out) {
  check_attention("attend", shape, cache, queries);
  if (!has_fast_attention(shape, cache, queries)) {
    attend_general(stream, shape, cache, queries, out);
    return;
  }
  const std::string shapes = text_of(shape, cache, queries);
  const AttendKernel kernel = choose_kernel(cache);
  const Splits splits = choose_splits(shape, queries.count, max_visible, kernel.blocks);
  const std::size_t rows = query_rows(shape, queries.count);
  const bool exact = has_exact(cache);
  if ((splits.count > 1 || exact) && rows > 0 && workspace == nullptr)
    throw DeviceError("attend(" + shapes + "): contexts are cut into " +
                      std::to_string(splits.count) + " splits and " +
                      (exact ? "exact tokens" : "no exact ones") +
                      ", so that a workspace is needed");

  AttendArguments a{};
  a.keys = cache.keys;
  a.values = cache.values;
  a.table = cache.table.table;
  a.max_pages = cache.table.max_pages;
  a.page_tiles = cache.keys.page_tokens / kTileTokens;
  a.sequence = queries.sequence;
  a.visible = queries.visible;
  a.fp16 = queries.fp16;
  a.u8 = queries.u8;
  a.exponents = queries.exponents;
  a.v8 = queries.v8;
  a.residual_exponents = queries.residual_exponents;
  a.residual_scale = cache.key_constants.residual_scale;
  a.log2_dim = cache.key_constants.log2_dim;
  a.second_centroids = centroid_bytes(cache.key_constants.second, cache.key_constants.states);
  a.key_centroids = centroid_bytes(cache.key_constants, cache.key_constants.states);
  a.value_centroids = centroid_bytes(cache.value_constants, cache.value_constants.states);
  for (std::uint32_t& word : a.value_centroids.words) word ^= 0x80808080;
  a.half_bytes = 0x64646464;
  if (cache.code != nullptr) a.code = cache.code->view();
  a.policy = cache.erasure;
  a.counts = cache.counts;
  a.value_signs = cache.value_rotations.signs;
  a.score_factor = static_cast<float>(score_factor(shape, cache));
  a.value_scale = static_cast<float>(cache.value_constants.score_scale);
  a.heads = shape.heads;
  a.group = shape.group;
  a.head_blocks = head_blocks(shape);
  a.splits = splits.count;
  a.split_tiles = splits.tiles;
  a.split_sums = static_cast<float*>(workspace);
  if (workspace != nullptr)
    a.split_statistics = reinterpret_cast<SplitStatistics*>(
        a.split_sums + rows * static_cast<std::size_t>(splits.count * shape.head_dim));
  if (exact) {
    const ExactSpan span = exact_span(cache.exact_keys, cache.exact_values);
    a.exact_first = span.first;
    a.exact_last = span.last;
    const ExactParts parts = exact_parts(shape, rows, splits.count, workspace);
    a.exact_sums = parts.sums;
    a.exact_statistics = parts.statistics;
    attend_exact(stream, shape, cache, queries, parts);
  }
  a.out = out;
  launch(stream,
         {"attend", shapes, queries.count, static_cast<std::uint64_t>(shape.heads * a.head_blocks),
          static_cast<std::uint64_t>(splits.count), 32 * kAttendWarps,
          kernel.shared_bytes(cache.keys, cache.values)},
         kernel.kernel, a);
  if (splits.count == 1) return;
  const auto floats = static_cast<std::size_t>(kAttendWarps * (shape.head_dim + 1));
  launch(stream, {"attend_combine", shapes, rows, 1, 1, 32 * kAttendWarps, floats * sizeof(float)},
         shape.head_dim == 64 ? attend_combine<64> : attend_combine<128>, a);
}

}  // namespace axelram::kernels
