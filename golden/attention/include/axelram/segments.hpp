#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace axelram {

/// Places of a store that one sequence has (bit-contract.md#segments): first tokens that stay, then
/// a ring. A segment of capacity 0 is free.
struct Segment {
  std::uint32_t base = 0;      ///< its first place
  std::uint32_t capacity = 0;  ///< places
  std::uint32_t sinks = 0;     ///< of these, for first tokens that are never forgotten
  std::uint32_t rotation = 0;  ///< row of the rotations, whose signs and center its items have
  bool wrap = false;           ///< a full ring forgets its oldest token for a new one
  std::uint32_t start = 0;     ///< place in the ring of its oldest token
  std::uint32_t count = 0;     ///< tokens

  std::uint32_t ring() const { return capacity - sinks; }
  /// The place of token t < count, the oldest being 0.
  std::uint32_t place(std::uint32_t t) const {
    return t < sinks ? base + t : base + sinks + (start + (t - sinks)) % ring();
  }
  /// Number of arrival of token t, if `arrived` tokens have come since it was allocated or cleared.
  /// First tokens stay; all others are the newest ones.
  std::size_t arrival(std::uint32_t t, std::size_t arrived) const {
    return t < sinks ? t : arrived - (count - t);
  }
};

/// Values that allocate sets (bit-contract.md#allocate).
struct Allocation {
  std::uint32_t base = 0, capacity = 0, sinks = 0, rotation = 0;
  bool wrap = false;
};

/// The segments of a store of max_keys places. A command or an append that is rejected changes
/// nothing.
class Segments {
 public:
  /// rotations: rows that a segment may name.
  Segments(std::size_t segments, std::size_t rotations, std::size_t max_keys);

  /// False if rejected: the segment does not exist or is not free, capacity is 0, sinks exceed it,
  /// places lie beyond the store, or the rotation does not exist.
  bool allocate(std::size_t segment, const Allocation& allocation);
  /// Forgets the n oldest tokens behind the sinks, or all of them. False if there is no such
  /// segment.
  bool evict(std::size_t segment, std::size_t n);
  /// False if there is no such segment.
  bool free(std::size_t segment);
  /// Forgets all tokens, those in sinks too; no segment becomes free.
  void clear();

  enum class Append { stored, bad_segment, full };
  /// Takes the place of the next token of a segment; *place is set if it is stored.
  Append append(std::size_t segment, std::uint32_t* place);

  /// Null if there is no such segment, or it is free.
  const Segment* find(std::size_t segment) const;
  /// A segment other than `segment` that has a place of the allocation.
  std::optional<std::size_t> overlapping(std::size_t segment, const Allocation& allocation) const;
  std::size_t size() const { return segments_.size(); }

 private:
  std::vector<Segment> segments_;
  std::size_t rotations_, max_keys_;
};

}  // namespace axelram
