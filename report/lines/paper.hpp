#pragma once

#include <optional>

#include "axelram/files/config.hpp"

namespace axelram::report {

/// Selects figures of the paper that apply to this configuration. They hold for d = 128, b = 3,
/// records of one part and a table of every product; some only for the fully parallel macro of its
/// figure 2, some only for T = 4096 stored keys.
class Paper {
 public:
  explicit Paper(const files::Config& config)
      : dimensions_(config.parameters.head_dim == 128 && config.parameters.index_bits == 3 &&
                    !config.parameters.prod() && !config.parameters.split() &&
                    config.microarchitecture.score_lane == files::ScoreLane::table),
        parallel_(config.microarchitecture.key_lanes == 128 &&
                  config.microarchitecture.read_lanes == 128),
        depth_(config.max_keys == 4096) {}

  std::optional<double> operator()(double figure) const { return where(dimensions_, figure); }
  std::optional<double> in_parallel(double figure) const {
    return where(dimensions_ && parallel_, figure);
  }
  std::optional<double> at_4096_keys(double figure) const {
    return where(dimensions_ && depth_, figure);
  }

 private:
  static std::optional<double> where(bool applies, double figure) {
    return applies ? std::optional(figure) : std::nullopt;
  }
  bool dimensions_, parallel_, depth_;
};

}  // namespace axelram::report
