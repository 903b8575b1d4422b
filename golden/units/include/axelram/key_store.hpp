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

/// The memory of a macro: records in order of arrival, each coded separately. Without a code the
/// stored bytes are the record.
class KeyStore {
 public:
  /// Throws std::invalid_argument for an unknown code.
  KeyStore(const Parameters& parameters, std::size_t max_keys, const Protection& protection,
           const UnitTable& units = reference_units());

  /// Stores a record of parameters.record_bytes() bytes. Returns false, and stores nothing, if
  /// full.
  bool write(const std::uint8_t* record);
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
  /// The records of the last read() again.
  const std::uint8_t* last_read() const {
    return !code_ ? memory_.data() : is_repaired_ ? repaired_.data() : decoded_.data();
  }
  /// Statuses of key `key`'s words in the last read(), as decode_bulk_ref writes them; null without
  /// a code.
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
  DecodedRecord decoded(std::size_t key) const;

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
  Injection injection_ = Injection::off;
  std::vector<std::uint8_t> mask_;
  KeyStoreEvents events_;
};

}  // namespace axelram
