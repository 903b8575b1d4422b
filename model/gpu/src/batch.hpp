#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "axelram/gpu/model.hpp"
#include "axelram/kernels/pages.hpp"
#include "memory.hpp"

namespace axelram::gpu {

constexpr std::size_t kPageTokens = 32;

/// Consecutive tokens of one sequence.
struct Piece {
  std::size_t sequence;  ///< of the batch
  std::size_t row;       ///< of the batch
  std::size_t token, count;
};

/// Private last pages of queries: copies of the last pages of their sequences, by query.
struct OwnPages {
  std::vector<std::int32_t> table;     ///< [queries, max_pages]
  std::vector<std::int32_t> sequence;  ///< rows of the table
  std::vector<std::int32_t> from, to;  ///< pages to be copied
};

/// Sequences whose tokens are rows, in order, and their description for kernels in device memory.
class Batch {
 public:
  Batch(const Capacity& capacity, Memory* memory);

  /// Upper bound of the pages of all sequences together.
  static std::size_t max_pages(const Capacity& capacity);
  /// Columns of the table.
  static std::size_t max_columns(const Capacity& capacity);

  /// Throws DeviceError beyond the capacity.
  void set(kernels::Stream& stream, std::span<const transformer::Sequence> sequences);

  std::size_t rows() const { return rows_; }
  std::size_t max_len() const { return max_len_; }
  std::uint32_t number(std::size_t sequence) const { return sequences_[sequence].number; }
  /// Rows first .. first + count - 1, cut where sequences end.
  std::vector<Piece> pieces(std::size_t first, std::size_t count) const;

  const std::int32_t* ids() const { return ids_.data(); }
  /// Position of each row in its sequence, and number of tokens that it attends to.
  const std::int32_t* position() const { return position_.data(); }
  const std::int32_t* visible() const { return visible_.data(); }
  const std::int32_t* sequence() const { return sequence_.data(); }
  kernels::TokenPositions places(std::size_t first, std::size_t count) const {
    return {sequence_.data() + first, position_.data() + first, count};
  }
  kernels::BlockTable table() const;
  /// Pages of rows first .. first + count - 1. The copies follow the pages of the batch.
  OwnPages own_pages(std::size_t first, std::size_t count) const;

 private:
  Capacity capacity_;
  std::span<const transformer::Sequence> sequences_;
  std::vector<std::size_t> first_;  ///< row of every sequence's token 0, and rows_
  std::size_t rows_ = 0, max_len_ = 0;
  std::vector<std::int32_t> pages_;  ///< the table
  std::int32_t next_page_ = 0;
  kernels::Buffer<std::int32_t> ids_, sequence_, position_, visible_, table_;
};

}  // namespace axelram::gpu
