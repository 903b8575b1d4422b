#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../json_line.hpp"

namespace bench {

/// Lines of gpu_bench, scripts/gpu/pytorch_baseline.py and scripts/gpu_check, in any order.
using Lines = std::vector<Json>;

struct Target {
  std::string name;
  bool at_least = true;       ///< false: at most
  std::optional<double> bar;  ///< nothing: reported only
  /// Bound that follows from counted bytes if both sides run at the speed of memory.
  std::optional<double> roofline;
  std::optional<double> measured;  ///< nothing: not measured
  std::string note;                ///< against what; or why it was not measured

  std::optional<bool> holds() const;
};

/// The project's targets, each judged by what the lines hold.
std::vector<Target> targets(const Lines& lines);

}  // namespace bench
