#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/macro.hpp"
#include "axelram/score.hpp"
#include "axelram/sim/driver.hpp"
#include "verify/macro/coded_memory.hpp"

namespace axelram::sim {

/// Runs the golden model on the same commands and compares the RTL with it value by value. Throws
/// MismatchError at the first difference.
class Scoreboard : public Observer {
 public:
  Scoreboard(const files::Config& config, RtlModel& model, const std::vector<Command>& commands);
  /// Starts with a driver that has just reset the macro.
  void watch(const Driver* driver);

  /// Throws MismatchError if an expected value has not been output.
  void finish();

  std::uint64_t compared() const { return compared_; }
  const NumericCorners& corners() const { return corners_; }
  /// Null without a code.
  const CodeCorners* code_corners() const { return coded_ ? &coded_->corners : nullptr; }

  void on_thresholds(const std::int32_t* values, int count) override;
  void on_norm(std::uint16_t norm) override;
  void on_correlation(std::int64_t correlation) override;
  void on_copy_row(const std::int32_t* values, int count, int exponent) override;
  void on_indices(const std::uint8_t* values, int count) override;
  void on_reconstructions(const std::int32_t* upper, int count) override;
  void on_residual_shift(int shift) override;
  void on_residual_signs(const std::uint8_t* values, int count) override;
  void on_residual_norm(std::uint16_t norm) override;
  void on_residual_query_row(const std::int32_t* values, int count, int exponent) override;
  void on_residual_accumulator(std::int64_t acc) override;
  void on_path_cost(std::uint32_t cost) override;
  void on_levels(const std::uint8_t* values, int count) override;
  void on_record_stored(unsigned address) override;
  void on_record_rejected() override;
  void on_key_rejected() override;
  void on_query_row(const std::int32_t* values, int count, int exponent) override;
  void on_accumulator(std::int64_t acc) override;
  void on_score(std::uint32_t bits, bool last, bool saturated) override;
  void on_query_done() override;
  void on_reset() override;
  void on_drained() override;
  void on_record(const std::uint8_t* record) override;
  void on_memory_read(bool scrub, unsigned address) override;
  void on_decoded(bool scrub, const std::uint8_t* record, const std::uint8_t* statuses) override;
  void on_write_back() override;
  void on_lookup(const std::uint8_t* record) override;
  void on_cycle_end() override;
  void on_inject(Injection injection, const std::vector<std::uint8_t>& mask) override;
  void on_protection(ErasurePolicy erasure, bool write_back) override;
  void on_errors_clear() override;

 private:
  struct Score {
    std::uint32_t bits;
    bool last, saturated;
  };
  struct Drained {
    std::vector<std::vector<std::uint8_t>> memory;
    MacroCounters counters;
    std::optional<KeyStoreEvents> events;  ///< empty if they were cleared during reads
  };
  /// Activity of a coded memory in one cycle.
  struct MemoryCycle {
    std::optional<CodedMemory::Decoded> decoded;
    bool scrub = false;  ///< the decoded record was read by the scrubber
    bool written_back = false, stored = false;
    std::optional<std::size_t> query_read, scrub_read;  ///< keys
  };
  /// Values expected between two resets.
  struct Segment {
    // Of keys, or of their sub-vectors.
    std::deque<VectorResult> thresholds, norms, indices;
    std::deque<std::int64_t> correlations;     ///< with an unbiased scale
    std::deque<VectorResult> searched, found;  ///< reconstructions; path costs, with a trellis
    std::deque<ResidualResult> shifts, signs, residual_norms;  ///< with residuals
    std::deque<KeyCopy> copies;                                ///< with exact tokens
    std::deque<std::int64_t>
        addresses;  ///< key of each record; -1: rejected because the store is full
    std::deque<std::vector<std::uint8_t>> records;  ///< with a code: records, stored or rejected
    std::uint64_t keys_rejected = 0;
    std::uint64_t queries = 0;  ///< queries that will be done or rejected
    std::deque<std::int32_t> query_elements;
    std::deque<int> query_exponents;
    std::deque<std::int64_t> accumulators;
    // With residuals.
    std::deque<std::int32_t> residual_query_elements;
    std::deque<int> residual_query_exponents;
    std::deque<std::int64_t> residual_accumulators;
    std::deque<Score> scores;
    std::deque<Drained> drained;
  };

  void expect_key(Macro& macro, Segment& segment, const std::uint16_t* key);
  void expect_record(Macro& macro, Segment& segment, const std::uint8_t* record);
  void note_copies(const Macro& macro);
  void expect_vector(const Parameters& p, const std::vector<std::int32_t>& y, int exponent,
                     const VectorResult& vector, Segment& segment);
  void expect_residual(const KeyResult& key, const std::vector<std::int32_t>& y, Segment& segment);
  void expect_query(Macro& macro, Segment& segment, const std::uint16_t* query);
  void note_vector(const std::uint16_t* vector, bool query);
  bool is_saturated(const Macro& macro, const QueryResult& result, std::size_t t);
  void note_terms(const ScoreTerm& first, const ScoreTerm& second);
  void compare(const char* tensor, const std::string& where, std::int64_t expected,
               std::int64_t seen);
  void compare_bytes(const char* tensor, const std::string& where,
                     const std::vector<std::uint8_t>& expected, const std::uint8_t* seen);
  void compare_memory(const Drained& drained);
  void compare_events(const KeyStoreEvents& expected);
  void check_initialisation();
  void check_write_back();
  void check_scrubber();
  template <typename T>
  T next(std::deque<T>& queue, const char* tensor) {
    if (queue.empty()) throw MismatchError(tensor, "the RTL outputs one that is not expected");
    T value = std::move(queue.front());
    queue.pop_front();
    return value;
  }
  void compare_query_row(const char* tensor, const char* exponents, const std::int32_t* values,
                         int count, int exponent, std::deque<std::int32_t>& elements,
                         std::deque<int>& expected, std::uint64_t* position);

  const files::Config& config_;
  RtlModel& model_;
  std::vector<std::uint16_t> key_at_center_;  ///< that balance makes the center; or none
  const Driver* driver_ = nullptr;
  std::deque<Segment> segments_;
  std::uint64_t index_position_ = 0;
  std::uint64_t copy_position_ = 0;
  std::uint64_t query_element_ = 0;
  std::uint64_t sign_position_ = 0;
  std::uint64_t residual_query_element_ = 0;
  std::uint64_t compared_ = 0;
  NumericCorners corners_;
  std::optional<CodedMemory> coded_;
  std::optional<std::vector<std::uint8_t>> record_;  ///< expected, until it is stored or rejected
  MemoryCycle memory_cycle_;
  ScrubSchedule schedule_;
  std::uint64_t started_ = 0;  ///< the first cycle after the last reset
  std::uint64_t reset_cycles_ = 0;
  std::uint64_t query_decoded_ = 0,
                read_rows_ =
                    0;  ///< cycle of the last decoded record of a query; cycles between two
  std::size_t last_scrubbed_ = 0;
};

}  // namespace axelram::sim
