#pragma once

#include <optional>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/codewords.hpp"
#include "axelram/kernels/codes.hpp"
#include "paged_rows.hpp"

namespace axelram::gpu {

/// Records whose stored bits flip, once, as they are written: encoded, hit, decoded and repaired as
/// caches::RowMemory does it, by the same faults, and stored as a reader finds them.
class FaultyRecords {
 public:
  FaultyRecords(const caches::AxelramSetup& setup, bool values, const HeadLayout& heads,
                const Capacity& capacity, Scratch* scratch, Memory* memory,
                kernels::Stream* stream);

  void begin(kernels::Stream& stream);
  /// Takes the chunk's records from Scratch::records.
  void store(kernels::Stream& stream, const Chunk& chunk, const kernels::Pages& pages);
  bool interpolates() const { return coded_ && policy_ == ErasurePolicy::interpolate; }
  void store_as_last(kernels::Stream& stream, const Chunk& chunk, const kernels::Pages& pages,
                     const kernels::BlockTable& table, const kernels::Places& places);
  /// What flipped and what the decoder said.
  transformer::MemoryEvents events(kernels::Stream& stream) const;

 private:
  struct Counters {
    kernels::CodeCounts codes;
    unsigned long long flipped, miscorrected;
  };

  static std::size_t bytes_of(std::size_t bits) { return (bits + 7) / 8; }
  void flip(kernels::Stream& stream, const Chunk& chunk, std::uint8_t* stored);
  /// Encoded, hit and decoded, into `decoded` and `statuses`.
  void pass_through_memory(kernels::Stream& stream, const Chunk& chunk, std::uint8_t* decoded,
                           std::uint8_t* statuses);
  void store_interpolated(kernels::Stream& stream, const Chunk& chunk, const kernels::Pages& pages);
  /// The rows of a piece, and `before` ones before it, repaired into Scratch::moved; as if each
  /// were its sequence's last where `last`.
  void repair_piece(kernels::Stream& stream, const Piece& piece, std::size_t before, bool last);

  caches::Faults faults_;
  ErasurePolicy policy_;
  bool values_;
  HeadLayout heads_;
  int index_bits_;
  Scratch* scratch_;
  bool coded_;
  std::optional<kernels::DeviceCode> code_;
  std::size_t record_bytes_, stored_bits_, data_bits_ = 0, words_ = 0;
  kernels::Buffer<Counters> counters_;
  /// Of all rows of the batch, where neighbours are looked at.
  kernels::Buffer<std::uint8_t> decoded_, statuses_;
};

}  // namespace axelram::gpu
