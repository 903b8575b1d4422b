#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/exact.hpp"
#include "axelram/key_store.hpp"
#include "axelram/parameters.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {

/// Events since construction; clear() does not reset them.
struct MacroCounters {
  std::uint64_t keys_nonfinite = 0;
  std::uint64_t keys_full = 0;
  std::uint64_t queries_nonfinite = 0;
  std::uint64_t norms_saturated = 0;
  std::uint64_t scales_refused = 0;  ///< keys without an unbiased norm
  std::uint64_t scores_saturated = 0;
};

/// The macro: one SRAM of quantized keys for one layer and KV head, with its write path and its
/// read path (references.md#axelram, figure 2).
class Macro {
 public:
  /// rotation, center: as of a Datapath. max_keys: capacity.
  /// Throws std::invalid_argument for illegal parameters, as Datapath does, or for an unknown code.
  Macro(const Parameters& parameters, HeadRotation rotation, std::vector<std::uint16_t> center,
        std::size_t max_keys, const Protection& protection = {},
        const UnitTable& units = reference_units());

  /// Writes one key of head_dim raw elements. A key that is not finite is rejected as such even
  /// when the macro is full.
  KeyResult write(const std::uint16_t* key);

  /// Stores a record of record_bytes() bytes as it stands; any bytes are legal. It has no copy
  /// (bit-contract.md#records-from-outside). Of the result all but status, record and codeword is
  /// empty.
  KeyResult write_record(const std::uint8_t* record);

  /// Scores one query of head_dim raw elements against every stored key, in order of writing:
  /// exact tokens by their copies, all others by their records.
  QueryResult query(const std::uint16_t* query);

  /// Removes all stored keys.
  void clear();

  std::size_t size() const { return store_.size(); }
  std::size_t max_keys() const { return store_.max_keys(); }
  const Parameters& parameters() const { return path_.parameters(); }
  const CodebookRom& rom() const { return path_.rom(); }
  const MacroCounters& counters() const { return counters_; }

  /// The memory, for fault injection and inspection.
  KeyStore& store() { return store_; }
  const KeyStore& store() const { return store_; }
  /// The copies of keys; none without exact tokens.
  const ExactStore& copies() const { return copies_; }

 private:
  bool keep(KeyResult* result);

  Datapath path_;
  KeyStore store_;
  ExactStore copies_;
  MacroCounters counters_;
};

}  // namespace axelram
