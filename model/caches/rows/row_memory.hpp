#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/caches/specification.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::caches {

/// Storage format of rows of bits: codewords, or the bits themselves.
class RowCode {
 public:
  /// name: none, or one that make_code knows; bits: of a row, a multiple of 8.
  RowCode(const std::string& name, std::size_t bits, const UnitTable& units);

  const Code* code() const { return code_ ? &*code_ : nullptr; }
  const UnitTable& units() const { return *units_; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t words() const { return words_; }  ///< 0 without a code
  std::size_t stored_bits() const { return stored_bits_; }
  std::size_t stored_bytes() const { return (stored_bits_ + 7) / 8; }
  std::size_t status_bytes() const { return axelram::status_bytes(words_); }
  /// Bytes of a row and the padding of its last word, which a decoder may miscorrect like any other
  /// bit.
  std::size_t data_bytes() const { return (data_bits_ + 7) / 8; }

  void encode(const std::uint8_t* row, std::uint8_t* stored) const;
  /// data: data_bytes(); statuses: status_bytes().
  DecodeCounts decode(const std::uint8_t* stored, std::uint8_t* data, std::uint8_t* statuses) const;
  /// Adds a row that was written as `row` and decoded so to the counters.
  void count(const std::uint8_t* row, const std::uint8_t* data, const DecodeCounts& counts,
             const std::uint8_t* statuses, transformer::MemoryEvents* events) const;

 private:
  std::optional<Code> code_;
  std::shared_ptr<const BulkCoder> coder_;  ///< null without a code
  const UnitTable* units_;
  std::size_t row_bytes_, words_ = 0, data_bits_, stored_bits_;
};

/// The row of token `token` with its erased elements replaced: repair_record_ref or
/// repair_int4_row_ref. A neighbour that does not exist is a null record.
using Repair =
    std::function<void(std::size_t token, const DecodedRecord& before, const DecodedRecord& current,
                       const DecodedRecord& after, std::uint8_t* repaired)>;

/// The rows of one head cache as a reader gets them: encoded, hit by bit errors once as they are
/// written, decoded and repaired (bit-contract.md#erasures).
class RowMemory {
 public:
  /// site: layer, head and value; begin() and append() set the rest.
  RowMemory(std::shared_ptr<const RowCode> code, ErasurePolicy policy, Repair repair,
            const Faults& faults, const FaultSite& site);

  void begin(std::uint32_t sequence);
  /// Sets the bit errors from the next begin() on. Throws std::invalid_argument unless 0 <= p <= 1.
  void inject(double p, std::uint64_t seed);

  void append(const std::uint8_t* row);
  /// Repairs the appended rows. Returns the first row that may have changed: the one before the
  /// appended rows, which has a right neighbour now.
  std::size_t settle();

  std::size_t size() const { return rows_; }
  /// Row `row` after settle(). The rows are contiguous.
  const std::uint8_t* row(std::size_t row) const {
    return (repairs_ ? repaired_ : decoded_).data() + row * code_->row_bytes();
  }
  /// The row as repaired while it was the newest one, without a right neighbour; null if that is
  /// the same.
  const std::uint8_t* as_last(std::size_t row) const {
    return !repairs_ || last_[row] == 0 ? nullptr
                                        : &as_last_[(last_[row] - 1) * code_->row_bytes()];
  }

  /// A row whose repair looks at its right neighbour: as_last() may differ from row() as soon as
  /// there is one. Known when the row is written, so that sums treat it alike before and after.
  bool may_change(std::size_t row) const {
    return repairs_ && policy_ == ErasurePolicy::interpolate && erased_[row] != 0;
  }

  const transformer::MemoryEvents& events() const { return events_; }
  const RowCode& code() const { return *code_; }

 private:
  void corrupt();
  DecodedRecord decoded(std::size_t row) const;
  void repair(std::size_t row);

  std::shared_ptr<const RowCode> code_;
  ErasurePolicy policy_;
  Repair repair_;
  bool repairs_;  ///< repaired_ differs from decoded_
  Faults next_faults_;
  FaultSite site_;
  std::uint64_t threshold_ = 0;
  std::size_t rows_ = 0, settled_ = 0;
  std::vector<std::uint8_t> stored_, mask_, data_;  ///< of one row
  std::vector<std::uint8_t> decoded_, statuses_, repaired_;
  std::vector<std::uint8_t> erased_;  ///< 1 for a row with an uncorrectable word; only if repairs_
  std::vector<std::uint8_t> as_last_;
  std::vector<std::size_t> last_;  ///< 1 + the index of a row in as_last_, or 0
  transformer::MemoryEvents events_;
};

}  // namespace axelram::caches
