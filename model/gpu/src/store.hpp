#pragma once

#include <memory>

#include "axelram/caches/cache.hpp"
#include "axelram/kernels/attention.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "batch.hpp"
#include "scratch.hpp"

namespace axelram::gpu {

/// Rows first .. first + count - 1 of a batch in one layer.
struct Chunk {
  const Batch* batch;
  int layer;
  std::size_t first, count;
  unsigned long long *row_misfit, *query_misfit;  ///< see kernels::to_elements
};

/// The size of a model's heads, and what they are padded to with zeros.
struct Heads {
  caches::Shape shape;
  std::size_t group = 1;     ///< query heads of a KV head
  std::size_t padded_d = 0;  ///< head_dim of pages, queries and sums

  std::size_t kv() const { return static_cast<std::size_t>(shape.heads); }
  std::size_t d() const { return static_cast<std::size_t>(shape.head_dim); }
};

/// The keys, or the values, of all heads of one layer at a time, in pages on the device.
class Store {
 public:
  virtual ~Store() = default;

  /// Bytes of a page.
  std::size_t page_bytes() const {
    return pages_.head_bytes * static_cast<std::size_t>(pages_.heads);
  }
  void place(std::uint8_t* pages) { pages_.data = pages; }
  const kernels::Pages& pages() const { return pages_; }

  /// Before a pass.
  virtual void begin(kernels::Stream&) {}
  /// Writes rows [count, heads, d] of floats.
  virtual void write(kernels::Stream& stream, const Chunk& chunk, const float* rows) = 0;
  /// Queries [count, heads * group, d] of floats as the kernels take them. Of key stores.
  virtual kernels::AttentionQueries round(kernels::Stream& stream, const Chunk& chunk,
                                          const float* queries) = 0;
  /// Says to attention how its rows are to be read.
  virtual void describe(int layer, kernels::AttentionCache* cache) const = 0;
  /// Whether a row may be another while it is the last one of its sequence (bit contract,
  /// Erasures), and then writes the chunk's rows as such to the pages of `table`, a sequence for
  /// each, at `places`.
  virtual bool depends_on_next_token() const { return false; }
  virtual void write_as_last(kernels::Stream&, const Chunk&, const kernels::BlockTable&,
                             const kernels::Places&) {}
  /// After a pass: what `rows` rows of every layer and head met.
  virtual transformer::MemoryEvents events(kernels::Stream&, std::size_t) { return {}; }
  /// What a misfit of write() and of round() is told.
  virtual ElementFormat format() const = 0;
  virtual const char* advice() const = 0;

 protected:
  explicit Store(const kernels::Pages& pages) : pages_(pages) {}
  kernels::Pages pages_;
};

/// Of keys, or of values. `stream` is null where `memory` only plans. Throws files::InputError.
std::unique_ptr<Store> make_store(const caches::RowSpecification& specification, bool values,
                                  const Heads& heads, const Capacity& capacity, Scratch* scratch,
                                  Memory* memory, kernels::Stream* stream);

}  // namespace axelram::gpu
