#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/segments.hpp"

namespace axelram::run {

/// Commands of a trace with values: its own, or the default ones.
std::vector<files::SegmentCommand> segment_commands(const files::Config& config,
                                                    const files::Trace& trace);

/// A token that a query sees.
struct VisibleToken {
  std::size_t row;  ///< of its key in a trace
  bool exact;       ///< its copy is scored
};

/// Rows of a trace in the segments of a macro with attention (bit-contract.md#segments), and how
/// many have arrived in each. They depend on no element.
class SegmentRows {
 public:
  explicit SegmentRows(const files::Config& config);

  /// False if the command is rejected. row: of the token of an append. An attend changes nothing.
  bool take(const files::SegmentCommand& command, std::size_t row);
  /// Empties all segments.
  void clear();

  const Segments& segments() const { return segments_; }
  /// Tokens of a segment that is there, the oldest first.
  std::vector<VisibleToken> visible(std::size_t segment) const;
  /// Tokens of all segments.
  std::vector<VisibleToken> all() const;

 private:
  Parameters parameters_;
  Segments segments_;
  std::vector<std::size_t> arrived_;  ///< at each segment, since it was allocated or cleared
  std::vector<std::size_t> rows_;     ///< of each place
};

}  // namespace axelram::run
