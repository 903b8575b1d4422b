#pragma once

#include <optional>
#include <string>

#include "axelram/run/script.hpp"
#include "axelram/sim/verify_report.hpp"
#include "rtl/attention/driver.hpp"

namespace axelram::sim {

/// How a script is carried out.
struct Manner {
  Stalls stalls;
  unsigned seed;
  bool early;
};

/// Runs a driver to its end. What differs from golden first: results in the order of their file,
/// rejections, counters; nothing if they are equal.
std::optional<Mismatch> run_and_compare(const files::Config& config, const std::string& phase,
                                        const run::GoldenScript& golden, AttentionDriver& driver);

}  // namespace axelram::sim
