#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/dequantize.hpp"
#include "axelram/key_store.hpp"
#include "axelram/memory_parameters.hpp"
#include "axelram/parameters.hpp"

namespace axelram {

/// Constants of the memory of one layer and KV head.
struct MemoryHead {
  Parameters parameters;                   ///< of the keys, with their center
  MemoryParameters memory;                 ///< of memory_parameters()
  std::shared_ptr<const CodebookRom> rom;  ///< of these parameters
  std::vector<std::int8_t> signs;          ///< d, of keys and values
  std::vector<std::uint16_t> center;       ///< of keys; d if parameters.centered, otherwise empty
  std::vector<std::int8_t> balance;        ///< of keys; d if parameters.balanced, otherwise empty
  Protection protection;                   ///< of records
  bool interleaved_pairs = false;          ///< rotary pairs 2i, 2i + 1; otherwise i, i + d/2
  std::int64_t longest = std::int64_t{1} << 31;  ///< tokens of a sequence, at most

  /// Bit errors of a record that is written: changes its stored bytes in place. Keys and values
  /// are told apart by `values`. position: of the slot's token (bit-contract.md#memory-errors).
  std::function<void(bool values, std::int32_t position, std::uint8_t* stored)> corrupt;

  /// Of the datapath of keys.
  HeadRotation key_rotation() const {
    HeadRotation rotation(signs);
    rotation.balance = balance;
    return rotation;
  }
};

/// Write and read paths of the records of a memory's slots. One thread at a time.
class MemoryRecords {
 public:
  /// Throws std::invalid_argument as a Datapath and a KeyStore do.
  explicit MemoryRecords(const MemoryHead& head, const UnitTable& units = reference_units());

  /// The stored string of a row, after bit errors: a record, or its codewords with a code. False if
  /// an element is not finite; then `stored` is as it was. row: d FP16 elements; stored:
  /// stored_bytes().
  bool write(bool values, const std::uint16_t* row, std::int32_t position, std::uint8_t* stored);

  /// A stored string as a record, decoded and repaired. Without a code it is the string itself.
  /// Valid until the next call.
  const std::uint8_t* read(const std::uint8_t* stored);

  const MemoryHead& head() const { return head_; }
  const UnitTable& units() const { return *units_; }
  std::size_t stored_bytes() const { return store_.stored_bytes(); }
  std::size_t record_bytes() const {
    return static_cast<std::size_t>(head_.parameters.record_bytes());
  }
  /// Words of records, valid as long as this object.
  RecordWords words() const {
    return {head_.rom->centroids.data(), head_.parameters.head_dim, head_.parameters.index_bits};
  }
  Dequantizer dequantizer() const {
    return {words(), head_.signs.data(), dequantization_scale(*head_.rom)};
  }

 private:
  MemoryHead head_;
  const UnitTable* units_;
  Datapath keys_, values_;
  KeyStore store_;  ///< of one record, which codes and decodes it
  KeyResult written_;
};

}  // namespace axelram
