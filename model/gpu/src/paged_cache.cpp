#include "paged_cache.hpp"

#include <algorithm>

#include "axelram/kernels/copy_pages.hpp"

namespace axelram::gpu {

PagedCache::PagedCache(const caches::Specification& specification, const HeadLayout& heads,
                       const Capacity& capacity, CacheMemory* shared, Memory* memory,
                       kernels::Stream* stream)
    : heads_(heads),
      capacity_(capacity),
      shared_(shared),
      keys_(make_paged_rows(specification.keys, false, heads, capacity, &shared->scratch, memory,
                            stream)),
      values_(make_paged_rows(specification.values, true, heads, capacity, &shared->scratch, memory,
                              stream)) {}

void PagedCache::begin(kernels::Stream& stream) {
  keys_->set_memory(shared_->keys.data());
  values_->set_memory(shared_->values.data());
  keys_->begin(stream);
  values_->begin(stream);
}

kernels::BlockTable PagedCache::own_pages(kernels::Stream& stream, const Chunk& chunk) {
  const OwnPages own = chunk.batch->own_pages(chunk.first, chunk.count);
  shared_->own_tables.upload(stream, own.table);
  shared_->own_sequence.upload(stream, own.sequence);
  shared_->from.upload(stream, own.from);
  shared_->to.upload(stream, own.to);
  for (const auto& [store, memory] :
       {std::pair(keys_.get(), &shared_->keys), std::pair(values_.get(), &shared_->values)})
    kernels::copy_pages(stream, memory->data(), store->page_bytes(), shared_->from.data(),
                        shared_->to.data(), chunk.count);
  return {shared_->own_tables.data(), static_cast<std::int32_t>(chunk.count),
          chunk.batch->table().max_pages};
}

void PagedCache::attend(kernels::Stream& stream, const Chunk& key_chunk, const Chunk& value_chunk,
                        const float* keys, const float* values, const float* queries, float* out) {
  keys_->write(stream, key_chunk, keys);
  values_->write(stream, value_chunk, values);
  const Batch& batch = *key_chunk.batch;
  const std::size_t first = key_chunk.first;
  kernels::AttentionQueries asked = keys_->round(stream, key_chunk, queries);
  asked.count = key_chunk.count;
  asked.sequence = batch.sequence() + first;
  asked.visible = batch.visible() + first;
  asked.exact_sequence = asked.sequence;
  kernels::AttentionCache cache;
  cache.table = batch.table();
  if (needs_own_pages()) {
    cache.table = own_pages(stream, key_chunk);
    const kernels::TokenPositions places{shared_->own_sequence.data(), batch.position() + first,
                                         key_chunk.count};
    if (keys_->depends_on_next_token())
      keys_->write_as_last(stream, key_chunk, cache.table, places);
    if (values_->depends_on_next_token())
      values_->write_as_last(stream, value_chunk, cache.table, places);
    asked.sequence = places.sequence;
  }
  keys_->describe(key_chunk.layer, &cache);
  values_->describe(key_chunk.layer, &cache);
  if (const kernels::AttentionConstants* const of_macro = keys_->attention())
    return kernels::attend_pages_in_order(stream, shape(), cache, asked, *of_macro, out);
  kernels::attend(stream, shape(), cache, asked, static_cast<std::int32_t>(batch.max_len()),
                  shared_->exact_parts.data(), out);
}

kernels::AttentionShape PagedCache::shape() const {
  kernels::AttentionShape shape;
  shape.heads = heads_.shape.heads;
  shape.group = static_cast<std::int32_t>(heads_.group);
  shape.head_dim = static_cast<std::int32_t>(heads_.padded_d);
  shape.scale = heads_.scale;
  shape.splits = 1;  // the queries of a chunk fill the machine
  return shape;
}

std::size_t PagedCache::exact_bytes() const {
  kernels::AttentionCache cache;
  keys_->describe(0, &cache);
  values_->describe(0, &cache);
  if (!cache.exact_keys.any() && !cache.exact_values.any()) return 0;
  return kernels::exact_workspace(shape(), capacity_.chunk_rows);
}

void PagedCache::add_events(kernels::Stream& stream, std::size_t rows,
                            transformer::CacheEvents* events) {
  events->keys += keys_->events(stream, rows);
  events->values += values_->events(stream, rows);
}

void take(const std::vector<std::unique_ptr<PagedCache>>& caches, const Capacity& capacity,
          CacheMemory* shared, Memory* memory) {
  std::size_t key_bytes = 0, value_bytes = 0;
  std::size_t exact_bytes = 0;
  bool own = false;
  for (const auto& cache : caches) {
    key_bytes = std::max(key_bytes, cache->key_page_bytes());
    value_bytes = std::max(value_bytes, cache->value_page_bytes());
    exact_bytes = std::max(exact_bytes, cache->exact_bytes());
    own = own || cache->needs_own_pages();
  }
  const std::size_t pages = Batch::max_pages(capacity) + (own ? capacity.chunk_rows : 0);
  shared->scratch.take(memory);
  shared->keys = memory->take<std::uint8_t>(pages * key_bytes);
  shared->values = memory->take<std::uint8_t>(pages * value_bytes);
  shared->exact_parts = memory->take<std::uint8_t>(exact_bytes);
  if (!own) return;
  shared->own_tables =
      memory->take<std::int32_t>(capacity.chunk_rows * Batch::max_columns(capacity));
  shared->own_sequence = memory->take<std::int32_t>(capacity.chunk_rows);
  shared->from = memory->take<std::int32_t>(capacity.chunk_rows);
  shared->to = memory->take<std::int32_t>(capacity.chunk_rows);
}

}  // namespace axelram::gpu
