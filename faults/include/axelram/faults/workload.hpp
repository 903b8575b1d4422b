#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/faults/elements.hpp"
#include "axelram/faults/engine.hpp"
#include "axelram/faults/record_code.hpp"

namespace axelram::faults {

/// Memory and scores of a macro without faults: trials are compared with them.
class Workload {
 public:
  /// Reads `engine` once without faults.
  Workload(const std::string& code, const Parameters& parameters, FaultEngine& engine);

  const RecordCode& code() const { return code_; }
  const StoredData& elements() const { return elements_; }
  std::size_t tokens() const { return elements_.tokens; }
  const std::vector<std::uint8_t>& stored() const { return stored_; }
  const std::uint8_t* stored(std::size_t token) const {
    return &stored_[token * code_.stored_bytes()];
  }
  /// The record and the padding of its last word.
  const std::uint8_t* data(std::size_t token) const { return &data_[token * code_.data_bytes()]; }
  const std::vector<float>& scores() const { return scores_; }

  /// Error of scores, in units of the root mean square of the scores without faults.
  struct ScoreError {
    double rms, max;
  };
  /// {0, 0} if not scorable().
  ScoreError score_error(const std::vector<float>& scores) const;
  /// False without queries, or if every score without faults is 0: the unit is then 0.
  bool scorable() const { return score_squares_ > 0; }

 private:
  RecordCode code_;
  StoredData elements_;
  std::vector<std::uint8_t> stored_, data_;
  std::vector<float> scores_;
  double score_squares_ = 0;  // sum of squares
};

}  // namespace axelram::faults
