#pragma once

#include <vector>

#include "axelram/calibration/tier_rows.hpp"

namespace axelram::calibration {

/// Rows of tiers, from what attention sees of each window.
class TierCollector {
 public:
  /// source must outlive it.
  TierCollector(const Source& source, files::Rope rope);

  /// As run_windows calls it.
  void take(const transformer::AttentionInputs& inputs, std::size_t row);
  /// Once, behind all windows.
  TierRows finish();

 private:
  const Source& source_;
  TierRows rows_;
  std::vector<transformer::RotaryTable> rotary_;  ///< of layers, of those with an attention span
};

}  // namespace axelram::calibration
