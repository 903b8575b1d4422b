#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/faults/elements.hpp"
#include "axelram/faults/engine.hpp"
#include "axelram/faults/record_code.hpp"

namespace axelram::faults {

/// What a faultless macro holds and answers: the truth that trials are held against.
class Workload {
 public:
  /// Reads `engine` once without faults.
  Workload(const std::string& code, const Parameters& parameters, FaultEngine& engine);

  const RecordCode& code() const { return code_; }
  const Truth& truth() const { return truth_; }
  std::size_t tokens() const { return truth_.tokens; }
  const std::vector<std::uint8_t>& stored() const { return stored_; }
  const std::uint8_t* stored(std::size_t token) const {
    return &stored_[token * code_.stored_bytes()];
  }
  /// The record, and then the padding of its last word.
  const std::uint8_t* data(std::size_t token) const { return &data_[token * code_.data_bytes()]; }
  const std::vector<float>& scores() const { return scores_; }

  /// Of scores against the faultless ones, in units of their root mean square.
  struct ScoreError {
    double rms, max;
  };
  /// {0, 0} where nothing is scorable.
  ScoreError score_error(const std::vector<float>& scores) const;
  /// Whether that unit is any: not without queries, nor where every faultless score is 0.
  bool scorable() const { return score_squares_ > 0; }

 private:
  RecordCode code_;
  Truth truth_;
  std::vector<std::uint8_t> stored_, data_;
  std::vector<float> scores_;
  double score_squares_ = 0;  // sum of squares
};

}  // namespace axelram::faults
