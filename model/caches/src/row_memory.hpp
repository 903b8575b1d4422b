#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "axelram/fault.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "row_code.hpp"

namespace axelram::caches {

/// The row of token `token` with its erased elements replaced: repair_record_ref for one kind of
/// row. A neighbour that does not exist is a null record.
using Repair =
    std::function<void(std::size_t token, const DecodedRecord& before, const DecodedRecord& current,
                       const DecodedRecord& after, std::uint8_t* repaired)>;

/// The rows of one store as a reader finds them: coded, hit by faults once as they are written,
/// decoded, repaired.
class RowMemory {
 public:
  /// place: layer, head and value; the rest follows from faults, sequence and token.
  RowMemory(std::shared_ptr<const RowCode> code, ErasurePolicy policy, Repair repair,
            const Faults& faults, const FaultSite& place);

  void begin(std::uint32_t sequence);
  /// From the next begin() on. Throws std::invalid_argument for a p that is no probability.
  void inject(double p, std::uint64_t seed);

  void append(const std::uint8_t* row);
  /// Repairs what was appended. Returns the first row that may differ from what it was: the one
  /// before the appended rows has got a neighbour.
  std::size_t settle();

  std::size_t size() const { return rows_; }
  /// Row `row` of the rows, which lie one after the other; settled.
  const std::uint8_t* row(std::size_t row) const {
    return (repairs_ ? repaired_ : decoded_).data() + row * code_->row_bytes();
  }
  /// The row as it was while it was the last one, its right neighbour unknown; null where that
  /// makes no difference.
  const std::uint8_t* as_last(std::size_t row) const {
    return !repairs_ || last_[row] == 0 ? nullptr
                                        : &as_last_[(last_[row] - 1) * code_->row_bytes()];
  }

  const transformer::MemoryEvents& events() const { return events_; }
  const RowCode& code() const { return *code_; }

 private:
  void corrupt();
  void count(const std::uint8_t* row, const DecodeCounts& counts, const std::uint8_t* statuses);
  DecodedRecord decoded(std::size_t row) const;
  void repair(std::size_t row);

  std::shared_ptr<const RowCode> code_;
  ErasurePolicy policy_;
  Repair repair_;
  bool repairs_;  ///< rows are more than decoded
  Faults next_faults_;
  FaultSite site_;
  std::uint64_t threshold_ = 0;
  std::size_t rows_ = 0, settled_ = 0;
  std::vector<std::uint8_t> stored_, mask_, data_;  ///< of one row
  std::vector<std::uint8_t> decoded_, statuses_, repaired_;
  std::vector<std::uint8_t> erased_;  ///< 1 for a row with an uncorrectable word
  std::vector<std::uint8_t> as_last_;
  std::vector<std::size_t> last_;  ///< 1 + the place of a row in as_last_, or 0
  transformer::MemoryEvents events_;
};

}  // namespace axelram::caches
