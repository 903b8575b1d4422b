#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "axelram/faults/fault_model.hpp"
#include "axelram/faults/record_code.hpp"
#include "axelram/names.hpp"

namespace axelram::faults {

/// Outcome of a word. The first four are decoder statuses of words that hold the stored data, in
/// the order of WordStatus; kFailed counts detected and miscorrected words.
/// kCorrected counts restored words (glossary.md#restored). The counters of `axelram perplexity`
/// count every corrected word (glossary.md#corrected).
enum Outcome { kClean, kCorrected, kParityOnly, kDetected, kMiscorrected, kFailed };
constexpr std::size_t kOutcomes = 6;

}  // namespace axelram::faults

template <>
struct axelram::EnumNames<axelram::faults::Outcome> {
  static constexpr EnumRow<faults::Outcome> rows[] = {
      {faults::kClean, "clean", "words without an error"},
      {faults::kCorrected, "corrected", "words that the decoder corrected to the stored data"},
      {faults::kParityOnly, "parity_only", "words with an error in the overall parity bit only"},
      {faults::kDetected, "detected", "uncorrectable words: erasures"},
      {faults::kMiscorrected, "miscorrected", "words that are not detected and hold wrong data"},
      {faults::kFailed, "word_failure", "detected or miscorrected words"}};
};

namespace axelram::faults {

/// Words by outcome and wrong elements of one record, after decoding and before repair.
struct RecordCounts {
  std::array<std::uint64_t, kOutcomes> words{};
  std::uint64_t wrong_indices = 0;  ///< residual signs included
  std::uint64_t wrong_norms = 0;
};

/// Counts words by outcome. wrong: the data bits (data_bytes()) that differ from the stored data.
void count_words(const RecordCode& code, const DecodeCounts& counts, const std::uint8_t* statuses,
                 const std::uint8_t* wrong, RecordCounts* result);
/// Counts elements with a wrong bit. wrong: as above, the first record_bytes() are read.
void count_elements(const RecordCode& code, const std::uint8_t* wrong, RecordCounts* result);

/// Exact distribution of the number of words, or of indices, of a record with one outcome.
struct CountDistribution {
  static constexpr std::size_t kMaxCount = 63;
  std::array<double, kMaxCount + 1> probability{};  ///< by count; the last entry: or more

  double mean() const;
  double mean_square() const;
};

/// Closed form of bursts and single flips: CosetLeaderDecoder decodes every upset of every width at
/// every position. It decodes the zero record; by linearity the stored data make no difference.
/// For single flips it covers the first `trials` bits, which are those that the trials flip.
struct PatternTable {
  std::array<CountDistribution, kOutcomes> words;  ///< of a record; kClean counts words not clean
  CountDistribution indices;                       ///< wrong ones, before repair
  CountDistribution norms;                         ///< the same
  double injected = 0;                             ///< mean flips of a record
};
PatternTable pattern_table(const RecordCode& code, const FaultModel& model,
                           const FaultSource& source, std::uint64_t trials);

}  // namespace axelram::faults
