#pragma once

#include <memory>

#include "axelram/caches/cache.hpp"
#include "axelram/kernels/attend_in_order.hpp"
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
  /// First value that does not fit the element format, see kernels::to_elements.
  unsigned long long *row_out_of_range, *query_out_of_range;
};

/// Heads of a model and their padding with zeros.
struct HeadLayout {
  caches::Shape shape;
  std::size_t group = 1;     ///< query heads of a KV head
  std::size_t padded_d = 0;  ///< head_dim of pages, queries and sums
  float scale = 1;           ///< of <q, k>

  std::size_t kv() const { return static_cast<std::size_t>(shape.heads); }
  std::size_t d() const { return static_cast<std::size_t>(shape.head_dim); }
};

/// The key rows, or the value rows, of all heads of one layer at a time, in pages on the device.
class PagedRows {
 public:
  virtual ~PagedRows() = default;

  std::size_t page_bytes() const {
    return pages_.head_bytes * static_cast<std::size_t>(pages_.heads);
  }
  void set_memory(std::uint8_t* pages) { pages_.data = pages; }
  const kernels::Pages& pages() const { return pages_; }

  /// Begins a pass.
  virtual void begin(kernels::Stream&) {}
  /// Writes rows [count, heads, d] of floats.
  virtual void write(kernels::Stream& stream, const Chunk& chunk, const float* rows) = 0;
  /// Rounds queries [count, heads * group, d] of floats for the kernels. Key rows only.
  virtual kernels::AttentionQueries round(kernels::Stream& stream, const Chunk& chunk,
                                          const float* queries) = 0;
  /// Sets the members of `cache` that say how to read the rows.
  virtual void describe(int layer, kernels::AttentionCache* cache) const = 0;
  /// Constants of the attention if the macro of the rows attends, otherwise null.
  virtual const kernels::AttentionConstants* attention() const { return nullptr; }
  /// True if a row's repaired value depends on the next token, so that the newest row must be
  /// stored separately (bit-contract.md#interpolation).
  virtual bool depends_on_next_token() const { return false; }
  /// Writes the chunk's rows as if no token followed: to the pages of `table`, one sequence for
  /// each row, at `places`.
  virtual void write_as_last(kernels::Stream&, const Chunk&, const kernels::BlockTable&,
                             const kernels::TokenPositions&) {}
  /// Counters of `rows` rows of every layer and head, after a pass.
  virtual transformer::MemoryEvents events(kernels::Stream&, std::size_t) { return {}; }
  virtual ElementFormat format() const = 0;
  /// Advice of the error message for a value that does not fit the element format.
  virtual const char* advice() const = 0;

 protected:
  explicit PagedRows(const kernels::Pages& pages) : pages_(pages) {}
  kernels::Pages pages_;
};

/// True if the rows take heads padded with zeros.
bool pads_heads(const caches::RowSpecification& specification);

/// Key rows, or value rows. `stream` is null if `memory` only plans. Throws files::InputError for a
/// cache without a kernel.
std::unique_ptr<PagedRows> make_paged_rows(const caches::RowSpecification& specification,
                                           bool values, const HeadLayout& heads,
                                           const Capacity& capacity, Scratch* scratch,
                                           Memory* memory, kernels::Stream* stream);

}  // namespace axelram::gpu
