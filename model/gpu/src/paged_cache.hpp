#pragma once

#include <memory>
#include <vector>

#include "axelram/caches/specification.hpp"
#include "paged_rows.hpp"

namespace axelram::gpu {

/// Memory shared by the caches of a model: pages of one layer, and scratch for writing them. One
/// cache uses the pages at a time.
struct CacheMemory {
  Scratch scratch;
  kernels::Buffer<std::uint8_t> keys, values;
  kernels::Buffer<std::uint8_t> exact_parts;  ///< what exact tokens add to the results of a chunk
  /// Private last pages: one row of the table for each query of a chunk.
  kernels::Buffer<std::int32_t> own_tables, own_sequence, from, to;
};

/// Keys and values of all heads in the format of one specification.
class PagedCache {
 public:
  PagedCache(const caches::Specification& specification, const HeadLayout& heads,
             const Capacity& capacity, CacheMemory* shared, Memory* memory,
             kernels::Stream* stream);

  std::size_t key_page_bytes() const { return keys_->page_bytes(); }
  std::size_t value_page_bytes() const { return values_->page_bytes(); }
  std::size_t exact_bytes() const;  ///< of exact_parts
  bool needs_own_pages() const {
    return keys_->depends_on_next_token() || values_->depends_on_next_token();
  }

  void begin(kernels::Stream& stream);
  /// Stores keys and values [count, heads, d], then computes attention of queries [count, heads *
  /// group, d] to the stored rows of their past: out [count, heads * group, padded_d].
  void attend(kernels::Stream& stream, const Chunk& key_chunk, const Chunk& value_chunk,
              const float* keys, const float* values, const float* queries, float* out);
  void add_events(kernels::Stream& stream, std::size_t rows, transformer::CacheEvents* events);

  const PagedRows& keys() const { return *keys_; }
  const PagedRows& values() const { return *values_; }

 private:
  kernels::AttentionShape shape() const;
  /// Gives every query of the chunk a private copy of its last page.
  kernels::BlockTable own_pages(kernels::Stream& stream, const Chunk& chunk);

  HeadLayout heads_;
  Capacity capacity_;
  CacheMemory* shared_;
  std::unique_ptr<PagedRows> keys_, values_;
};

/// Allocates the shared memory, after all caches are constructed.
void take(const std::vector<std::unique_ptr<PagedCache>>& caches, const Capacity& capacity,
          CacheMemory* shared, Memory* memory);

}  // namespace axelram::gpu
