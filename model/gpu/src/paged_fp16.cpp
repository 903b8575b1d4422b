#include "paged_fp16.hpp"

#include "axelram/kernels/layers.hpp"
#include "axelram/kernels/store.hpp"

namespace axelram::gpu {
namespace {

kernels::Pages pages_of(bool values, const HeadLayout& heads) {
  kernels::Pages pages;
  pages.kind = kernels::RowKind::fp16;
  pages.values = values;
  pages.heads = heads.shape.heads;
  pages.head_dim = static_cast<std::int32_t>(heads.padded_d);
  pages.page_tokens = kPageTokens;
  pages.row_stride = 2 * pages.head_dim;
  pages.head_bytes = kPageTokens * 2 * heads.padded_d;
  return pages;
}

}  // namespace

PagedFp16::PagedFp16(bool values, const HeadLayout& heads, const Capacity& capacity,
                     Scratch* scratch)
    : PagedRows(pages_of(values, heads)), heads_(heads), scratch_(scratch) {
  const std::size_t bytes = 2 * capacity.chunk_rows * heads.kv() * heads.padded_d;
  scratch->need(Scratch::elements, bytes);
  if (!values) scratch->need(Scratch::queries, bytes * heads.group);
}

void PagedFp16::write(kernels::Stream& stream, const Chunk& chunk, const float* rows) {
  kernels::to_elements(stream, rows, chunk.count, heads_.kv(), heads_.d(), ElementFormat::fp16,
                       scratch_->at<std::uint16_t>(Scratch::elements), heads_.padded_d, chunk.first,
                       chunk.row_out_of_range);
  kernels::store_rows(stream, pages_, chunk.batch->table(),
                      chunk.batch->places(chunk.first, chunk.count),
                      scratch_->at(Scratch::elements), 2 * heads_.padded_d);
}

kernels::AttentionQueries PagedFp16::round(kernels::Stream& stream, const Chunk& chunk,
                                           const float* queries) {
  kernels::AttentionQueries result;
  auto* const elements = scratch_->at<std::uint16_t>(Scratch::queries);
  kernels::to_elements(stream, queries, chunk.count, heads_.kv() * heads_.group, heads_.d(),
                       ElementFormat::fp16, elements, heads_.padded_d, chunk.first,
                       chunk.query_out_of_range);
  result.fp16 = elements;
  return result;
}

void PagedFp16::describe(int, kernels::AttentionCache* cache) const {
  (pages_.values ? cache->values : cache->keys) = pages_;
}

}  // namespace axelram::gpu
