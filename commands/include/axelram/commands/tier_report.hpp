#pragma once

#include <string>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/report/report.hpp"

namespace axelram::commands {

struct TierReportOptions {
  std::string specification;  ///< kivi:..., tiered:..., or keys=...;values=... of them
  std::string shape;          ///< file: layers, query_heads, kv_heads, head_dim, batch, context
  std::string json;           ///< "": none
  bool force = false;
};

struct TierReportResult {
  std::string cache;  ///< the specification, defaults left out
  std::string model;  ///< its shape in words
  std::vector<report::Line> lines;
};

/// Bytes of a tiered cache by tier and kind, beside FP16 and ADR-004's figures. Throws
/// files::InputError for a specification of another cache, or one that does not fit the shape.
TierReportResult tier_report(const TierReportOptions& options,
                             const Show<TierReportResult>& show = {});

std::string to_json(const TierReportResult& result);

}  // namespace axelram::commands
