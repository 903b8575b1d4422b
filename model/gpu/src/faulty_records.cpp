#include "faulty_records.hpp"

#include <algorithm>

#include "axelram/caches/cache_site.hpp"
#include "axelram/fault.hpp"
#include "axelram/kernels/compare.hpp"
#include "axelram/kernels/faults.hpp"
#include "axelram/kernels/store.hpp"

namespace axelram::gpu {
namespace {

/// Upper bound of the tables of a code.
constexpr std::size_t kTables = std::size_t{256} << 10;

}  // namespace

FaultyRecords::FaultyRecords(const caches::AxelramSetup& setup, bool values,
                             const HeadLayout& heads, const Capacity& capacity, Scratch* scratch,
                             Memory* memory, kernels::Stream* stream)
    : faults_(setup.faults()),
      policy_(setup.erasure()),
      values_(values),
      heads_(heads),
      fields_(record_fields(setup.parameters(values))),
      scratch_(scratch),
      coded_(setup.code() != "none"),
      record_bytes_(static_cast<std::size_t>(setup.parameters(values).record_bits()) / 8),
      stored_bits_(8 * record_bytes_),
      counters_(memory->take<Counters>(1)) {
  if (!coded_) return;
  const Code code = make_code(setup.code());
  words_ = code.words(8 * record_bytes_);
  stored_bits_ = words_ * static_cast<std::size_t>(code.n);
  data_bits_ = words_ * static_cast<std::size_t>(code.k);
  const std::size_t rows = capacity.chunk_rows * heads.kv();
  scratch->need(Scratch::stored, rows * bytes_of(stored_bits_));
  scratch->need(Scratch::padded, rows * bytes_of(data_bits_));
  if (interpolates()) {
    const std::size_t all = capacity.rows * heads.kv();
    decoded_ = memory->take<std::uint8_t>(all * record_bytes_);
    statuses_ = memory->take<std::uint8_t>(all * status_bytes(words_));
  }
  // Two rows more: those that get a neighbour, and their neighbours.
  const std::size_t more = rows + 2 * heads.kv();
  scratch->need(Scratch::statuses, rows * status_bytes(words_));
  scratch->need(Scratch::decoded, rows * record_bytes_);
  scratch->need(Scratch::repaired, more * record_bytes_);
  scratch->need(Scratch::moved, more * record_bytes_);
  memory->add(kTables);
  if (!memory->plans()) code_.emplace(*stream, code);
}

void FaultyRecords::begin(kernels::Stream& stream) { counters_.fill(stream, 0); }

void FaultyRecords::flip(kernels::Stream& stream, const Chunk& chunk, std::uint8_t* stored) {
  const std::uint64_t threshold = fault_threshold(faults_.ber);
  const std::size_t heads = heads_.kv(), bytes = bytes_of(stored_bits_);
  for (const Piece& piece : chunk.batch->pieces(chunk.first, chunk.count))
    for (std::size_t head = 0; head < heads; ++head) {
      FaultSite site = caches::CacheSite{chunk.layer, static_cast<int>(head), values_}.fault_site();
      site.seed = faults_.seed;
      site.token = static_cast<std::uint32_t>(piece.token);
      site.trial = chunk.batch->number(piece.sequence);
      kernels::flip_bits(stream, site, threshold,
                         stored + ((piece.row - chunk.first) * heads + head) * bytes, piece.count,
                         stored_bits_, heads * bytes, &counters_.data()->flipped);
    }
}

void FaultyRecords::pass_through_memory(kernels::Stream& stream, const Chunk& chunk,
                                        std::uint8_t* decoded, std::uint8_t* statuses) {
  const std::uint8_t* const records = scratch_->at(Scratch::records);
  std::uint8_t* const stored = scratch_->at(Scratch::stored);
  std::uint8_t* const padded = scratch_->at(Scratch::padded);
  const std::size_t rows = chunk.count * heads_.kv(), bits = 8 * record_bytes_;
  const std::size_t stored_bytes = bytes_of(stored_bits_), data_bytes = bytes_of(data_bits_);
  kernels::encode_rows(stream, *code_, records, rows, bits, record_bytes_, stored, stored_bytes);
  flip(stream, chunk, stored);
  // Bit errors may also hit the padding of the last word.
  kernels::decode_rows(stream, *code_, stored, rows, data_bits_, stored_bytes, padded, data_bytes,
                       statuses, &counters_.data()->codes);
  kernels::count_miscorrected(stream, code_->code().k, words_, rows, records, bits, record_bytes_,
                              padded, data_bytes, statuses, &counters_.data()->miscorrected);
  kernels::decode_rows(stream, *code_, stored, rows, bits, stored_bytes, decoded, record_bytes_,
                       nullptr, nullptr);
}

void FaultyRecords::store(kernels::Stream& stream, const Chunk& chunk,
                          const kernels::Pages& pages) {
  if (interpolates()) return store_interpolated(stream, chunk, pages);
  const kernels::TokenPositions places = chunk.batch->places(chunk.first, chunk.count);
  std::uint8_t* rows = scratch_->at(Scratch::records);
  if (!coded_) {
    flip(stream, chunk, rows);
  } else {
    rows = scratch_->at(Scratch::decoded);
    std::uint8_t* const statuses = scratch_->at(Scratch::statuses);
    pass_through_memory(stream, chunk, rows, statuses);
    if (policy_ == ErasurePolicy::zero)
      kernels::repair_rows(stream, *code_, policy_, fields_, {1, chunk.count, heads_.kv()}, rows,
                           record_bytes_, statuses, rows);
  }
  kernels::store_rows(stream, pages, chunk.batch->table(), places, rows, record_bytes_);
}

// A row with erasures is repaired from the rows before and after it, so that a new row changes the
// repaired row before it (bit-contract.md#interpolation).

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
                                  const kernels::TokenPositions& places) {
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
  kernels::repair_rows(stream, *code_, policy_, fields_, rows, decoded_.data() + first * row_bytes,
                       record_bytes_, statuses_.data() + first * heads * status_bytes(words_),
                       scratch_->at(Scratch::repaired));
  // Rows to be stored begin at an aligned address.
  kernels::copy_on_device(stream, scratch_->at(Scratch::moved),
                          scratch_->at(Scratch::repaired) + (neighbours - before) * row_bytes,
                          (piece.count + before) * row_bytes);
}

transformer::MemoryEvents FaultyRecords::events(kernels::Stream& stream) const {
  const Counters counters = counters_.download(stream)[0];
  transformer::MemoryEvents events;
  events.injected = counters.flipped;
  events.corrected = counters.codes.corrected;
  events.parity_only = counters.codes.parity_only;
  events.detected = counters.codes.detected;
  events.miscorrected = counters.miscorrected;
  return events;
}

}  // namespace axelram::gpu
