#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/key_store.hpp"
#include "axelram/record.hpp"
#include "verify/macro/corners.hpp"

namespace axelram::sim {

/// Content and outputs of a coded memory, followed event by event.
class CodedMemory {
 public:
  explicit CodedMemory(const files::Config& config);

  void reset();
  void protect(ErasurePolicy erasure, bool write_back);
  /// Loads the injection register in the cycle before `cycle`. The mask affects data read in that
  /// cycle, but not writes.
  void inject(Injection injection, const std::vector<std::uint8_t>& mask, std::uint64_t cycle);
  void store(std::size_t key, const std::vector<std::uint8_t>& record, std::uint64_t cycle);
  void read(std::size_t key, std::uint64_t cycle);

  struct Decoded {
    std::size_t key;
    std::vector<std::uint8_t> record, statuses;
    bool changed;  ///< a word was corrected
  };
  /// Decodes the oldest read, if any.
  std::optional<Decoded> decode(bool scrub, std::uint64_t cycle);
  /// Writes back the record decoded last.
  void write_back(std::uint64_t cycle);
  bool wants_write_back(bool scrub, const Decoded& decoded) const {
    return decoded.changed && (scrub || write_back_);
  }
  /// Value of inject_armed_o in `cycle`.
  bool armed(std::uint64_t cycle) const {
    return injection_ != Injection::off || cycle <= shown_armed_until_;
  }
  /// The next record that is looked up.
  std::optional<std::vector<std::uint8_t>> lookup();

  /// Clears the counters in cycle `cycle`. Records decoded one cycle before, or later, still count.
  void clear_events(std::uint64_t cycle);
  /// Counters at the start of cycle `cycle`: records decoded at least two cycles before.
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

  std::vector<RecordField> fields_;
  Code code_;
  Protection initial_;
  std::size_t record_bits_;
  ErasurePolicy erasure_;
  bool write_back_;
  Injection injection_ = Injection::off;
  std::uint64_t shown_armed_until_ = 0;  ///< last cycle of an injection that ended by itself
  std::vector<std::uint8_t> mask_;
  std::vector<std::vector<std::uint8_t>> memory_;   ///< stored keys
  std::vector<std::vector<std::uint8_t>> records_;  ///< their records
  std::deque<Read> reads_;
  std::pair<std::size_t, std::vector<std::uint8_t>>
      corrected_;               ///< codewords of the record decoded last
  std::vector<Decoded> query_;  ///< keys of this query so far
  std::deque<std::vector<std::uint8_t>> lookups_;
  std::deque<Event> recent_;
  KeyStoreEvents settled_;
};

/// Predicts when the scrubber reads the memory, and which key. It scrubs one key at a time, in
/// turn. A scrub starts `interval` cycles after the last one ended, or later as soon as the memory
/// is idle. If its write-back was lost, the same key follows at once.
class ScrubSchedule {
 public:
  explicit ScrubSchedule(int interval) : interval_(static_cast<std::uint64_t>(interval)) {}

  /// `cycle` is the first cycle after a reset.
  void reset(std::uint64_t cycle) {
    due_ = cycle + interval_ - 1;
    next_ = 0;
    in_flight_ = false;
  }
  /// Key that is scrubbed in `cycle`, if any.
  std::optional<std::size_t> read(std::uint64_t cycle, bool idle, std::size_t keys) {
    if (interval_ == 0 || cycle < due_ || in_flight_ || !idle || keys == 0) return std::nullopt;
    in_flight_ = true;
    if (next_ >= keys) next_ = 0;  // keys may have been cleared since
    return next_;
  }
  void done(std::uint64_t cycle, bool lost) {
    in_flight_ = false;
    due_ = cycle + (lost ? 1 : interval_);
    if (!lost) ++next_;
  }

 private:
  std::uint64_t interval_;
  std::uint64_t due_ = 0;
  std::size_t next_ = 0;
  bool in_flight_ = false;
};

}  // namespace axelram::sim
