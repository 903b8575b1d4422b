#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/sim/rtl_model.hpp"

namespace axelram::sim {

/// What the RTL showed of a faulty memory; rows of T keys and Q queries, key 0 first.
struct InjectionRun {
  std::vector<std::uint8_t> statuses;      ///< [T, status bytes] of the first query
  std::vector<std::uint8_t> decoded;       ///< [T, record bytes] of the first query, before repair
  std::vector<std::uint8_t> repaired;      ///< [T, record bytes] of the first query
  std::vector<std::int64_t> accumulators;  ///< [Q, T]
  std::vector<float> scores;               ///< [Q, T]
};

/// Writes the trace's keys into a protected macro, each with its mask (T masks of stored bytes,
/// one after the other) loaded into the injection register for its write, and scores the queries
/// under `erasure` without write-back.
/// Throws files::InputError for a configuration without a code: it has no injection port;
/// std::runtime_error if the RTL hangs or shows too little.
InjectionRun run_injection(const files::Config& config, const files::Trace& trace, RtlModel& model,
                           const std::vector<std::uint8_t>& masks, ErasurePolicy erasure);

}  // namespace axelram::sim
