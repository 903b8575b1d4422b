#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace axelram::sim {

/// When the scrubber has to read the memory, and which key: one at a time, `interval` cycles after
/// the last ended, or as soon after that as nobody else reads; one whose write-back was lost again
/// at once. Keys in turn, from 0 again after the last.
class ScrubSchedule {
 public:
  explicit ScrubSchedule(int interval) : interval_(static_cast<std::uint64_t>(interval)) {}

  /// `cycle` is the first after a reset.
  void reset(std::uint64_t cycle) {
    due_ = cycle + interval_ - 1;
    next_ = 0;
    in_flight_ = false;
  }
  /// The key to be read in `cycle`; nothing where there is no scrub.
  std::optional<std::size_t> read(std::uint64_t cycle, bool idle, std::size_t keys) {
    if (interval_ == 0 || cycle < due_ || in_flight_ || !idle || keys == 0) return std::nullopt;
    in_flight_ = true;
    if (next_ >= keys) next_ = 0;  // keys may have been forgotten since
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
