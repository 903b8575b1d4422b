#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/attention.hpp"
#include "axelram/datapath.hpp"
#include "axelram/exact.hpp"
#include "axelram/key_store.hpp"
#include "axelram/segments.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {

enum class ItemStatus { done, bad_segment, nonfinite, full };

/// A token: a key and its value, stored both or neither. If it is rejected, all but status is
/// empty.
struct TokenResult {
  ItemStatus status = ItemStatus::done;
  std::uint32_t place = 0;  ///< of both records, in two memories
  KeyResult key, value;
};

/// A group of query heads. If it is rejected, all but status is empty.
struct GroupResult {
  ItemStatus status = ItemStatus::done;
  std::vector<std::uint32_t> places;     ///< of the visible tokens, the oldest first
  std::vector<QueryResult> queries;      ///< G
  std::vector<AttentionResult> outputs;  ///< G; none of score()
};

/// Events since construction or clear_counters(); no command resets them. A rejected item counts
/// once: as a bad command before a NaN, as a NaN before a full segment.
struct AttentionCounters {
  std::uint64_t tokens_nonfinite = 0;
  std::uint64_t tokens_full = 0;
  std::uint64_t groups_nonfinite = 0;
  std::uint64_t bad_commands = 0;       ///< commands and items
  std::uint64_t norms_saturated = 0;    ///< of keys and of values
  std::uint64_t scales_refused = 0;     ///< likewise
  std::uint64_t scores_saturated = 0;   ///< tokens of a group, in whichever of its heads
  std::uint64_t logits_saturated = 0;   ///< likewise
  std::uint64_t outputs_saturated = 0;  ///< output vectors
};

/// The macro with attention (bit-contract.md#attention): key and value records of tokens in places
/// of segments, and outputs for groups of query heads.
class AttentionMacro {
 public:
  /// rotations: rows that segments name, at least one. Throws std::invalid_argument as check()
  /// does, and as Datapath and KeyStore do.
  AttentionMacro(const Parameters& parameters, const AttentionParameters& attention,
                 std::vector<RotationRow> rotations, std::size_t segments, std::size_t max_keys,
                 const Protection& protection = {}, const UnitTable& units = reference_units());

  // Commands (bit-contract.md#segments). False if rejected. An allocation that is not, and overlaps
  // another segment, throws std::invalid_argument and changes nothing.
  bool allocate(std::size_t segment, const Allocation& allocation);
  bool evict(std::size_t segment, std::size_t n);
  bool free(std::size_t segment);
  void clear();

  /// Appends a token: head_dim raw elements each.
  TokenResult append(std::size_t segment, const std::uint16_t* key, const std::uint16_t* value);
  /// Attends with `group` queries of head_dim raw elements, one after the other.
  GroupResult attend(std::size_t segment, const std::uint16_t* queries);
  /// The same without values: a group that asks for its scores alone, and has no outputs.
  GroupResult score(std::size_t segment, const std::uint16_t* queries);
  /// Loads the scale of <q, k> in the softmax. Throws std::invalid_argument as check() does.
  void set_scale(double scale);
  /// Loads a row of the rotations, for the items that follow. Throws std::invalid_argument as
  /// Datapath does, and for a row that is not there.
  void load_rotation(std::size_t row, RotationRow rotation);
  /// Sets all counters to 0.
  void clear_counters() { counters_ = {}; }

  /// The copy that scores token t of a segment in a query now, or null if its record does. The
  /// token must be there.
  const KeyCopy* copy_of(std::size_t segment, std::uint32_t t) const;

  const Segments& segments() const { return segments_; }
  const Parameters& parameters() const { return parameters_; }
  const AttentionParameters& attention() const { return attention_; }
  const CodebookRom& rom() const { return *rom_; }
  const AttentionCounters& counters() const { return counters_; }
  /// The memories, for fault injection and inspection.
  KeyStore& keys() { return keys_; }
  KeyStore& values() { return values_; }

 private:
  /// Write paths of a row of rotations.
  struct Paths {
    Datapath key, value;
    std::vector<std::int8_t> signs;
  };
  Paths paths_of(RotationRow row) const;
  void count_vector(const KeyResult& result);
  /// Rotated queries and the places of the tokens they see. False if the group is rejected.
  bool load(std::size_t segment, const std::uint16_t* queries, GroupResult* group);

  Parameters parameters_;
  AttentionParameters attention_;
  std::shared_ptr<const CodebookRom> rom_;
  std::vector<Paths> paths_;
  Segments segments_;
  std::vector<ExactStore> arrivals_;  ///< copies of each segment, by the number of their arrival
  KeyStore keys_, values_;
  const UnitTable* units_;
  AttentionCounters counters_;
};

}  // namespace axelram
