#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "axelram/report/activity.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/rtl/generator.hpp"

namespace axelram::report {

/// Units that score keys with floats (rtl/baseline), to compare a macro with. Both read a key per
/// cycle from an SRAM as the macro's: FP16 keys, or the records of the macro, whose centroids a ROM
/// has as FP16.
enum class BaselineKind { half, dequantize };
inline constexpr std::array<BaselineKind, 2> kBaselines = {BaselineKind::half,
                                                           BaselineKind::dequantize};

/// The unit for a configuration: d lanes.
struct Baseline {
  std::vector<rtl::GeneratedFile> files;  ///< sources, axelram.f with their names, axelram.sdc
  std::string top;
  int stored_bits = 0;  ///< of a key in the SRAM
  int latency = 0;      ///< cycles from a key to its score
  std::string missing;  ///< why there is none; empty if there is
};
Baseline baseline_of(const files::Config& config, BaselineKind kind);

/// Simulates the same keys and queries as measure_activity(), as this unit gets them: keys as they
/// are, or their records and rotated queries. Nothing is written; a query is the cycle that loads
/// it. `scores`, if given, gets the scores of both queries, as they leave the unit. Throws
/// files::EnvironmentError if the model cannot be built.
Activity measure_baseline(const files::Config& config, BaselineKind kind,
                          const std::function<void(const std::string&)>& progress = {},
                          std::vector<float>* scores = nullptr);

/// Both, measured.
struct MeasuredBaseline {
  MappedDesign design;
  Activity activity;
};

}  // namespace axelram::report
