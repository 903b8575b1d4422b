#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/run/segment_rows.hpp"

namespace axelram::engines {

/// A group of query heads that is not rejected.
struct PlannedGroup {
  std::size_t first, count;  ///< rows of the queries
  std::size_t rotation;
  std::vector<run::VisibleToken> tokens;  ///< the oldest first
};

/// Effects of the commands of a trace of finite elements (bit-contract.md#segments). They depend on
/// no element.
struct SegmentPlan {
  std::vector<std::vector<std::size_t>> keys;  ///< of each rotation, rows of its stored tokens
  std::vector<PlannedGroup> groups;
  std::vector<std::uint8_t> refused;    ///< of each command, 1 or 0
  std::vector<run::VisibleToken> left;  ///< tokens that stand in a segment at the end, by row
};

SegmentPlan segment_plan(const files::Config& config, const files::Trace& trace);

}  // namespace axelram::engines
