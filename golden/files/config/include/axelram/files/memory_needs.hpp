#pragma once

#include "axelram/memory_parameters.hpp"

namespace axelram::files {

/// A condition on which a key of a bounded memory has an effect.
struct MemoryNeed {
  bool (*met)(const MemoryOptions& options);
  const char* needed;   ///< in the table of keys
  const char* missing;  ///< the end of a message: what is missing, and what would help
};

/// Landmarks have slots beside the sinks.
inline constexpr MemoryNeed kExactBank = {[](const MemoryOptions& o) { return o.exact > o.sinks; },
                                          "`exact` above `sinks`",
                                          "there is no exact bank; give exact above sinks"};
inline constexpr MemoryNeed kSummaryBank = {[](const MemoryOptions& o) { return o.summary != 0; },
                                            "`summary` above 0",
                                            "there is no summary bank; give summary above 0"};
/// Tokens are compared with those of a bank.
inline constexpr MemoryNeed kAnyBank = {
    [](const MemoryOptions& o) { return kExactBank.met(o) || kSummaryBank.met(o); },
    "`summary` above 0, or `exact` above `sinks`",
    "there is no bank; give summary above 0, or exact above sinks"};

}  // namespace axelram::files
