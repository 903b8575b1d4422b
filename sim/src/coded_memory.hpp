#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/key_store.hpp"
#include "code_corners.hpp"

namespace axelram::sim {

/// What the memory behind a code must hold and give, followed event by event: when a scrub comes is
/// the RTL's choice, what it then does is not.
class CodedMemory {
 public:
  explicit CodedMemory(const files::Config& config);

  void reset();
  void protect(ErasurePolicy erasure, bool write_back);
  /// A load in the cycle before `cycle` acts on data read in that cycle, not on writes.
  void inject(Injection injection, const std::vector<std::uint8_t>& mask, std::uint64_t cycle);
  void store(std::size_t key, const std::vector<std::uint8_t>& record, std::uint64_t cycle);
  void read(std::size_t key, std::uint64_t cycle);

  struct Decoded {
    std::size_t key;
    std::vector<std::uint8_t> record, statuses;
    bool changed;  ///< a word was corrected
  };
  /// The oldest read; nothing where none is under way.
  std::optional<Decoded> decode(bool scrub, std::uint64_t cycle);
  /// Of the record decoded last.
  void write_back(std::uint64_t cycle);
  bool wants_write_back(bool scrub, const Decoded& decoded) const {
    return decoded.changed && (scrub || write_back_);
  }
  /// What inject_armed_o shows in `cycle`.
  bool armed(std::uint64_t cycle) const {
    return injection_ != Injection::off || cycle <= shown_armed_until_;
  }
  /// The next record that goes to the lookups.
  std::optional<std::vector<std::uint8_t>> lookup();

  /// Counters forgotten in cycle `cycle`: what was decoded the cycle before, or later, stays.
  void clear_events(std::uint64_t cycle);
  /// What the counters show at the start of cycle `cycle`: all that was decoded two cycles before.
  KeyStoreEvents events(std::uint64_t cycle) const;

  const std::vector<std::uint8_t>& stored(std::size_t key) const { return memory_[key]; }
  std::size_t stored_bytes() const { return code_.codeword_bytes(record_bits_); }

  CodeCorners corners;

 private:
  struct Read {
    std::size_t key;
    std::uint64_t cycle;
    std::vector<std::uint8_t> received;
  };
  struct Event {
    std::uint64_t cycle;
    std::size_t key;
    DecodeCounts counts;
    bool written_back;
  };
  void apply_read_mask(Read* read);
  void follow_query(const Decoded& decoded);
  void repair(std::size_t key);

  int head_dim_, index_bits_;
  Code code_;
  Protection initial_;
  std::size_t record_bits_;
  ErasurePolicy erasure_;
  bool write_back_;
  Injection injection_ = Injection::off;
  std::uint64_t shown_armed_until_ = 0;  ///< the last cycle of an injection that ended by itself
  std::vector<std::uint8_t> mask_;
  std::vector<std::vector<std::uint8_t>> memory_;   ///< stored keys
  std::vector<std::vector<std::uint8_t>> records_;  ///< what was stored in them
  std::deque<Read> reads_;
  std::pair<std::size_t, std::vector<std::uint8_t>> corrected_;  ///< of the record decoded last
  std::vector<Decoded> query_;                                   ///< the keys of this query so far
  std::deque<std::vector<std::uint8_t>> lookups_;
  std::deque<Event> recent_;
  KeyStoreEvents settled_;
};

}  // namespace axelram::sim
