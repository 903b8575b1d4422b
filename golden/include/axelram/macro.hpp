#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/key_store.hpp"
#include "axelram/parameters.hpp"
#include "axelram/units.hpp"

namespace axelram {

enum class KeyStatus { stored, refused_nonfinite, refused_full };
enum class QueryStatus { scored, refused_nonfinite };

/// Everything the write path computes for one key. Where the key is refused, all but status is
/// empty or zero.
struct KeyResult {
  KeyStatus status = KeyStatus::stored;
  bool norm_saturated = false;
  std::uint16_t norm = 0;                ///< FP16 bits
  int exponent = 0;                      ///< e: the aligned key is m * 2^e
  std::uint32_t root = 0;                ///< N
  std::vector<std::int32_t> thresholds;  ///< T_j, 2^b - 1
  std::vector<std::uint8_t> indices;     ///< d
  std::vector<std::uint8_t> record;      ///< record_bytes
  std::vector<std::uint8_t> codeword;    ///< what is stored with a code; empty without one
};

/// Everything the read path computes for one query. Where the query is refused, all but status is
/// empty or zero.
struct QueryResult {
  QueryStatus status = QueryStatus::scored;
  std::vector<std::int32_t> u;    ///< rounded rotated query, d
  int exponent = 0;               ///< e_u
  std::vector<std::int64_t> acc;  ///< one per stored key
  std::vector<float> scores;      ///< one per stored key; times score_scale it approximates <q, k>
  int saturated = 0;              ///< scores clamped to +-FLT_MAX
};

/// Events since construction; clear() leaves them.
struct MacroCounters {
  std::uint64_t keys_nonfinite = 0;
  std::uint64_t keys_full = 0;
  std::uint64_t queries_nonfinite = 0;
  std::uint64_t norms_saturated = 0;
  std::uint64_t scores_saturated = 0;
};

struct UnitTable;

/// The golden macro: one SRAM of quantized keys for one layer and KV head, with its write path and
/// its read path (paper figure 2).
class Macro {
 public:
  /// signs: head_dim values, +1 or -1. center: head_dim raw elements of the element format if
  /// parameters.centered, otherwise empty. max_keys: capacity.
  /// Throws std::invalid_argument for illegal parameters, wrong sizes, other signs, or a center
  /// element that is not finite, or an unknown code.
  Macro(const Parameters& parameters, std::vector<std::int8_t> signs,
        std::vector<std::uint16_t> center, std::size_t max_keys, const Protection& protection = {},
        Units units = Units::fast);

  /// Writes one key of head_dim raw elements. A key that is not finite is refused as such even when
  /// the macro is full.
  KeyResult write(const std::uint16_t* key);

  /// Scores one query of head_dim raw elements against every stored key, in order of writing.
  QueryResult query(const std::uint16_t* query);

  /// Forgets the stored keys.
  void clear();

  std::size_t size() const { return store_.size(); }
  std::size_t max_keys() const { return store_.max_keys(); }
  const Parameters& parameters() const { return parameters_; }
  const CodebookRom& rom() const { return rom_; }
  const MacroCounters& counters() const { return counters_; }

  /// The memory, for the injection of faults and the look at what they did.
  KeyStore& store() { return store_; }
  const KeyStore& store() const { return store_; }

 private:
  bool align_key(const std::uint16_t* key, std::int32_t* m, int* e) const;

  Parameters parameters_;
  CodebookRom rom_;
  std::vector<std::int8_t> signs_;
  std::vector<std::uint16_t> center_;
  KeyStore store_;
  const UnitTable* units_;
  MacroCounters counters_;
};

}  // namespace axelram
