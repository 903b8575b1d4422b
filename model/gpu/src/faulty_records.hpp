#pragma once

#include <optional>
#include <vector>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/codewords.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/record.hpp"
#include "paged_rows.hpp"

namespace axelram::gpu {

/// Records with bit errors: encoded, hit once as they are written, decoded and repaired with the
/// same bit errors as in caches::RowMemory, and stored as a reader gets them.
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
                     const kernels::BlockTable& table, const kernels::TokenPositions& places);
  /// Counters of flipped bits and of decoder statuses.
  transformer::MemoryEvents events(kernels::Stream& stream) const;

 private:
  struct Counters {
    kernels::CodeCounts codes;
    unsigned long long flipped, miscorrected;
  };

  static std::size_t bytes_of(std::size_t bits) { return (bits + 7) / 8; }
  void flip(kernels::Stream& stream, const Chunk& chunk, std::uint8_t* stored);
  /// Encodes, flips and decodes the chunk's records into `decoded` and `statuses`.
  void pass_through_memory(kernels::Stream& stream, const Chunk& chunk, std::uint8_t* decoded,
                           std::uint8_t* statuses);
  void store_interpolated(kernels::Stream& stream, const Chunk& chunk, const kernels::Pages& pages);
  /// Repairs the rows of a piece, and `before` rows before it, into Scratch::moved; if `last`, as
  /// if each were the last of its sequence.
  void repair_piece(kernels::Stream& stream, const Piece& piece, std::size_t before, bool last);

  caches::Faults faults_;
  ErasurePolicy policy_;
  bool values_;
  HeadLayout heads_;
  std::vector<RecordField> fields_;
  Scratch* scratch_;
  bool coded_;
  std::optional<kernels::DeviceCode> code_;
  std::size_t record_bytes_, stored_bits_, data_bits_ = 0, words_ = 0;
  kernels::Buffer<Counters> counters_;
  /// All rows of the batch, if repair reads their neighbours.
  kernels::Buffer<std::uint8_t> decoded_, statuses_;
};

}  // namespace axelram::gpu
