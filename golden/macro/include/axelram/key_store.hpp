#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/parameters.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {

/// Protection of stored records (bit-contract.md#store).
struct Protection {
  std::string code = "none";  ///< or a name that make_code knows
  ErasurePolicy erasure = ErasurePolicy::keep;
  bool write_back = false;  ///< a read stores the words that it corrected
};

/// Use of the mask of an injection register, as axelram_inject.
enum class Injection : std::uint8_t {
  off,
  next_write,  ///< once, a stored error
  next_read,   ///< once, a transient error
  every_read
};

/// Events since construction or clear_events(), over all reads and scrubs: words by status, and
/// records that a write-back changed.
struct KeyStoreEvents {
  std::uint64_t corrected = 0;
  std::uint64_t parity_only = 0;
  std::uint64_t detected = 0;
  std::uint64_t scrubbed = 0;
  std::optional<std::size_t> first_error;  ///< key of the first word that is not clean

  bool operator==(const KeyStoreEvents& other) const {
    return corrected == other.corrected && parity_only == other.parity_only &&
           detected == other.detected && scrubbed == other.scrubbed &&
           first_error == other.first_error;
  }
};

/// A memory of records, each coded separately: of keys in order of arrival, or of the keys or the
/// values of tokens in places that segments give them (bit-contract.md#segments). Without a code
/// the stored bytes are the record.
class KeyStore {
 public:
  /// Throws std::invalid_argument for an unknown code.
  KeyStore(const Parameters& parameters, std::size_t max_keys, const Protection& protection,
           const UnitTable& units = reference_units());

  /// Stores a record of parameters.record_bytes() bytes. Returns false, and stores nothing, if
  /// full.
  bool write(const std::uint8_t* record);
  /// Stores a record in a place below max_keys. size() then is above this place.
  void write_at(std::size_t place, const std::uint8_t* record);
  void clear();

  std::size_t size() const { return keys_; }
  std::size_t max_keys() const { return max_keys_; }
  const Protection& protection() const { return protection_; }
  const Code* code() const { return code_ ? &*code_ : nullptr; }
  void set_erasure(ErasurePolicy erasure) { protection_.erasure = erasure; }
  void set_write_back(bool write_back) { protection_.write_back = write_back; }

  /// Bytes of a key in the memory: its codewords, or its record without a code.
  std::size_t stored_bytes() const { return stored_bytes_; }
  const std::uint8_t* stored(std::size_t key) const { return &memory_[key * stored_bytes_]; }
  /// Overwrites the stored bytes of a key; any bytes are legal (faulty memory).
  void set_stored(std::size_t key, const std::uint8_t* bytes);

  /// XORs `mask` (stored_bytes()) onto records written or read. Throws std::logic_error without a
  /// code, std::invalid_argument for another size.
  void inject(Injection injection, const std::vector<std::uint8_t>& mask);

  /// Reads all keys in order, decoded and repaired by the erasure policy, as consecutive records.
  /// Valid until the next call.
  const std::uint8_t* read();
  /// The same of the keys in `count` places, below size(), in this order; neighbours of a key are
  /// those before and behind it in the order.
  const std::uint8_t* read(const std::uint32_t* places, std::size_t count);
  /// The records of the last read() again.
  const std::uint8_t* last_read() const;
  /// Statuses of the words of the key that was number `key` in the last read(), as decode_bulk_ref
  /// writes them; null without a code.
  const std::uint8_t* statuses(std::size_t key) const;

  /// Reads one key and writes back its correctable words, as the background scrubber does.
  void scrub(std::size_t key);

  const KeyStoreEvents& events() const { return events_; }
  void clear_events() { events_ = {}; }

 private:
  /// The stored string of a key as it comes out of the memory, in received_.
  void receive(std::size_t key);
  void count(std::size_t key, const DecodeCounts& counts);
  void write_back(std::size_t key);
  /// Record and statuses of key `number` of this read.
  DecodedRecord decoded(std::size_t number) const;
  /// Reads with a code; places: null for those from 0 on.
  const std::uint8_t* read_coded(const std::uint32_t* places, std::size_t count);

  Parameters parameters_;
  std::size_t max_keys_;
  Protection protection_;
  std::optional<Code> code_;
  std::shared_ptr<const BulkCoder> coder_;  ///< null without a code
  std::vector<RecordField> fields_;
  std::size_t record_bytes_;
  std::size_t stored_bytes_;
  std::size_t status_bytes_ = 0;
  std::size_t keys_ = 0;
  std::vector<std::uint8_t> memory_;
  std::vector<std::uint8_t> received_, decoded_, statuses_, repaired_;
  bool is_repaired_ = false;  ///< the last read() left its records in repaired_
  bool is_ordered_ = false;   ///< without a code: the last read() left them in decoded_
  Injection injection_ = Injection::off;
  std::vector<std::uint8_t> mask_;
  KeyStoreEvents events_;
};

}  // namespace axelram
