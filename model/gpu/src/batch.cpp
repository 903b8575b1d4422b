#include "batch.hpp"

#include <algorithm>
#include <string>

namespace axelram::gpu {
namespace {

std::size_t pages_of(std::size_t tokens) { return (tokens + kPageTokens - 1) / kPageTokens; }

}  // namespace

Capacity capacity_for(const std::vector<perplexity::Window>& windows) {
  Capacity max;
  for (const std::span<const perplexity::Window> batch : perplexity::batches_of(windows)) {
    std::size_t rows = 0;
    for (const perplexity::Window& window : batch) {
      rows += window.size();
      max.max_len = std::max(max.max_len, window.size());
    }
    max.rows = std::max(max.rows, rows);
    max.sequences = std::max(max.sequences, batch.size());
  }
  return max;
}

Batch::Batch(const Capacity& capacity, Memory* memory)
    : capacity_(capacity),
      ids_(memory->take<std::int32_t>(capacity.rows)),
      sequence_(memory->take<std::int32_t>(capacity.rows)),
      position_(memory->take<std::int32_t>(capacity.rows)),
      visible_(memory->take<std::int32_t>(capacity.rows)),
      table_(memory->take<std::int32_t>(capacity.sequences * max_columns(capacity))) {}

std::size_t Batch::max_columns(const Capacity& capacity) { return pages_of(capacity.max_len); }

std::size_t Batch::max_pages(const Capacity& capacity) {
  return std::min(capacity.rows / kPageTokens + capacity.sequences,
                  capacity.sequences * max_columns(capacity));
}

void Batch::set(kernels::Stream& stream, std::span<const transformer::Sequence> sequences) {
  sequences_ = sequences;
  first_.assign(1, 0);
  max_len_ = 0;
  const std::size_t columns = max_columns(capacity_);
  std::vector<std::int32_t> ids, sequence, position, visible;
  pages_.assign(sequences.size() * columns, 0);
  next_page_ = 0;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::size_t tokens = sequences[s].ids.size();
    max_len_ = std::max(max_len_, tokens);
    first_.push_back(first_.back() + tokens);
    if (max_len_ > capacity_.max_len || s >= capacity_.sequences || first_.back() > capacity_.rows)
      throw kernels::DeviceError("a batch beyond its capacity of " +
                                 std::to_string(capacity_.rows) + " tokens in " +
                                 std::to_string(capacity_.sequences) + " sequences of at most " +
                                 std::to_string(capacity_.max_len));
    for (std::size_t p = 0; p < pages_of(tokens); ++p) pages_[s * columns + p] = next_page_++;
    ids.insert(ids.end(), sequences[s].ids.begin(), sequences[s].ids.end());
    for (std::size_t t = 0; t < tokens; ++t) {
      sequence.push_back(static_cast<std::int32_t>(s));
      position.push_back(static_cast<std::int32_t>(t));
      visible.push_back(static_cast<std::int32_t>(t + 1));
    }
  }
  rows_ = first_.back();
  ids_.upload(stream, ids);
  sequence_.upload(stream, sequence);
  position_.upload(stream, position);
  visible_.upload(stream, visible);
  table_.upload(stream, pages_);
}

std::vector<Piece> Batch::pieces(std::size_t first, std::size_t count) const {
  std::vector<Piece> pieces;
  std::size_t s = 0;
  for (std::size_t row = first; row < first + count;) {
    while (first_[s + 1] <= row) ++s;
    const std::size_t end = std::min(first + count, first_[s + 1]);
    pieces.push_back({s, row, row - first_[s], end - row});
    row = end;
  }
  return pieces;
}

kernels::BlockTable Batch::table() const {
  return {table_.data(), static_cast<std::int32_t>(first_.size() - 1),
          static_cast<std::int32_t>(max_columns(capacity_))};
}

OwnPages Batch::own_pages(std::size_t first, std::size_t count) const {
  const std::size_t columns = max_columns(capacity_);
  OwnPages own;
  for (const Piece& piece : pieces(first, count))
    for (std::size_t token = piece.token; token < piece.token + piece.count; ++token) {
      const auto row = pages_.begin() + static_cast<std::ptrdiff_t>(piece.sequence * columns);
      const auto query = static_cast<std::int32_t>(own.sequence.size());
      const std::size_t last = own.table.size() + token / kPageTokens;
      own.table.insert(own.table.end(), row, row + static_cast<std::ptrdiff_t>(columns));
      own.sequence.push_back(query);
      own.from.push_back(own.table[last]);
      own.to.push_back(next_page_ + query);
      own.table[last] = own.to.back();
    }
  return own;
}

}  // namespace axelram::gpu
