#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "axelram/faults/fault_model.hpp"
#include "axelram/faults/record_code.hpp"

namespace axelram::faults {

/// What is counted of words, in this order; failed = detected + miscorrected.
enum Outcome { kClean, kCorrected, kParityOnly, kDetected, kMiscorrected, kFailed, kOutcomes };

/// What becomes of one record, after decoding and before repair.
struct RecordCounts {
  std::array<std::uint64_t, kOutcomes> words{};
  std::uint64_t wrong_indices = 0;
  bool norm_wrong = false;
};

/// Words by outcome; `wrong` are the data bits (data_bytes()) that differ from the truth.
void count_words(const RecordCode& code, const DecodeCounts& counts, const std::uint8_t* statuses,
                 const std::uint8_t* wrong, RecordCounts* result);
/// Elements of which a bit differs; `wrong` as above, record_bytes() of it.
void count_elements(const RecordCode& code, const std::uint8_t* wrong, RecordCounts* result);

/// The exact distribution of how many words, or indices, of a record have an outcome.
struct CountDistribution {
  static constexpr std::size_t kMost = 63;
  std::array<double, kMost + 1> probability{};  ///< by count

  double mean() const;
  double mean_square() const;
};

/// Closed form of bursts and single flips: every upset of every width at every position is decoded
/// by Leaders (of the zero record: by linearity the stored data do not matter). Of single flips
/// only the first `trials` bits, which are those that so many trials visit.
struct PatternTable {
  std::array<CountDistribution, kOutcomes> words;  ///< of a record; kClean counts words not clean
  CountDistribution indices;                       ///< wrong ones, before repair
  double norm = 0;                                 ///< P(wrong), before repair
  double injected = 0;                             ///< mean flips of a record
};
PatternTable pattern_table(const RecordCode& code, const FaultModel& model,
                           const FaultSource& source, std::uint64_t trials);

}  // namespace axelram::faults
