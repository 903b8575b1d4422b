#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/sim/rtl_model.hpp"

namespace axelram::sim {

/// Outputs of the RTL with errors in its memory: rows of T keys and Q queries, key 0 first.
struct InjectionRun {
  std::vector<std::uint8_t> statuses;      ///< [T, status bytes] of the first query
  std::vector<std::uint8_t> decoded;       ///< [T, record bytes] of the first query, before repair
  std::vector<std::uint8_t> repaired;      ///< [T, record bytes] of the first query
  std::vector<std::int64_t> accumulators;  ///< [Q, T]
  std::vector<float> scores;               ///< [Q, T]
};

/// Writes the keys of a trace into a macro with a code and scores its queries with policy
/// `erasure`, without write-back. Each key is written with its mask (T masks of stored bytes) in
/// the injection register. Throws files::InputError for a configuration without a code, which has
/// no injection port; SimulationError if the RTL hangs or outputs too few values.
InjectionRun run_injection(const files::Config& config, const files::Trace& trace, RtlModel& model,
                           const std::vector<std::uint8_t>& masks, ErasurePolicy erasure);

}  // namespace axelram::sim
