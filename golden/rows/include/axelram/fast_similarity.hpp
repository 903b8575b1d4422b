#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/simd.hpp"
#include "axelram/similarity.hpp"

namespace axelram {

/// A record that is compared with others: similarity_ref and record_root_ref with a part of their
/// work done.
struct RecordQuery {
  std::int8_t words[256];  ///< C[idx_i]
  bool zero;               ///< its norm is
  std::uint32_t root;      ///< N
};

/// words: |C_j| <= 127.
void prepare_record(const RecordWords& words, const std::uint8_t* record, RecordQuery* query);

/// Records of slots side by side, in no order, for nearest_ref in one pass. The results are the
/// same on every level.
class SlotBank {
 public:
  /// slots: numbers of slots are below it. capacity: slots in the bank, at most.
  SlotBank(const RecordWords& words, std::size_t slots, std::size_t capacity,
           SimdLevel level = simd_level());

  /// Adds a slot that is not in the bank. record: as read, copied; root: its N.
  void put(int slot, const std::uint8_t* record, std::uint32_t root);
  /// Removes a slot of the bank.
  void remove(int slot);
  void clear() { slots_.clear(); }

  std::size_t size() const { return slots_.size(); }
  /// Slots of the bank, in no order.
  const std::vector<std::int32_t>& slots() const { return slots_; }

  /// As nearest_ref of all slots of the bank.
  Nearest nearest(const RecordQuery& query) const;

 private:
  void move(std::size_t from, std::size_t to);

  std::int8_t words_[16];
  int head_dim_, index_bits_;
  SimdLevel level_;
  std::size_t stride_;                 ///< bytes of a record
  std::vector<std::int32_t> slots_;    ///< by place
  std::vector<std::uint32_t> roots_;   ///< by place
  std::vector<std::int32_t> masks_;    ///< by place: 0 if the norm is, otherwise -1
  std::vector<std::uint8_t> records_;  ///< by place, with room for the widest load
  std::vector<std::int32_t> places_;   ///< by slot
};

}  // namespace axelram
