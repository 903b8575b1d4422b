#include <algorithm>

#include "axelram/kernels/store.hpp"
#include "faulty_records.hpp"

namespace axelram::gpu {

// A row with erasures is repaired from the rows before and after it, so that a new row changes how
// the one before it reads (bit contract, Erasures).

void FaultyRecords::store_interpolated(kernels::Stream& stream, const Chunk& chunk,
                                       const kernels::Pages& pages) {
  const std::size_t heads = heads_.kv();
  pass_through_memory(stream, chunk, decoded_.data() + chunk.first * heads * record_bytes_,
                      statuses_.data() + chunk.first * heads * status_bytes(words_));
  for (const Piece& piece : chunk.batch->pieces(chunk.first, chunk.count)) {
    const std::size_t changed = std::min<std::size_t>(piece.token, 1);  // the one before
    repair_piece(stream, piece, changed, false);
    kernels::store_rows(stream, pages, chunk.batch->table(),
                        chunk.batch->places(piece.row - changed, piece.count + changed),
                        scratch_->at(Scratch::moved), record_bytes_);
  }
}

void FaultyRecords::store_as_last(kernels::Stream& stream, const Chunk& chunk,
                                  const kernels::Pages& pages, const kernels::BlockTable& table,
                                  const kernels::Places& places) {
  for (const Piece& piece : chunk.batch->pieces(chunk.first, chunk.count)) {
    const std::size_t at = piece.row - chunk.first;
    repair_piece(stream, piece, 0, true);
    kernels::store_rows(stream, pages, table,
                        {places.sequence + at, places.position + at, piece.count},
                        scratch_->at(Scratch::moved), record_bytes_);
  }
}

void FaultyRecords::repair_piece(kernels::Stream& stream, const Piece& piece, std::size_t before,
                                 bool last) {
  const std::size_t heads = heads_.kv(), row_bytes = heads * record_bytes_;
  const std::size_t neighbours = std::min(piece.token, before + 1);
  const std::size_t first = piece.row - neighbours;
  kernels::TokenRows rows{1, piece.count + neighbours, heads};
  rows.each_last = last;
  kernels::repair_rows(stream, *code_, policy_, heads_.shape.head_dim, index_bits_, rows,
                       decoded_.data() + first * row_bytes, record_bytes_,
                       statuses_.data() + first * heads * status_bytes(words_),
                       scratch_->at(Scratch::repaired));
  // Rows to be stored begin at an aligned address.
  kernels::copy_on_device(stream, scratch_->at(Scratch::moved),
                          scratch_->at(Scratch::repaired) + (neighbours - before) * row_bytes,
                          (piece.count + before) * row_bytes);
}

}  // namespace axelram::gpu
