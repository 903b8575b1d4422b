#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "axelram/faults/engine.hpp"
#include "axelram/faults/fault_model.hpp"
#include "axelram/faults/patterns.hpp"
#include "axelram/faults/workload.hpp"

namespace axelram::faults {

constexpr std::size_t kPolicies = 3;
using Histogram = std::array<std::uint64_t, CountDistribution::kMaxCount + 1>;

/// Result of one trial: one draw of faults for every stored string. Plain bytes, which MPI copies
/// between processes.
struct TrialResult {
  struct Policy {
    std::uint64_t wrong_indices = 0;
    std::uint64_t wrong_indices_squared = 0;  ///< sum over records, for the design effect
    std::uint64_t damaged_records = 0;        ///< with a wrong index
    std::uint64_t wrong_norms = 0;
    std::uint64_t wrong_norms_squared = 0;  ///< sum over records
    double score_rms = 0, score_max = 0;    ///< 0 unless scored
  };
  struct WordPosition {
    std::uint32_t token = 0, word = 0;
  };

  std::array<std::uint64_t, kOutcomes> words{};
  std::uint64_t injected = 0;
  std::array<Histogram, kOutcomes> records{};  ///< by number of words; kClean: words not clean
  Histogram index_records{};                   ///< by number of wrong indices before repair
  std::array<Policy, kPolicies> policies{};    ///< by ErasurePolicy; 0 for policies not in the plan
  bool scored = false;          ///< the trial was scored and the workload is scorable
  bool engine_differs = false;  ///< from the record decoder or the checker, in any result
  bool has_miscorrection = false;
  WordPosition first_miscorrection;
};

/// Sums over trials in their order.
struct Totals {
  std::uint64_t trials = 0;
  TrialResult sum;
  std::vector<double> score_rms[kPolicies],
      score_max[kPolicies];  ///< one entry for each scored trial
  struct Worst {
    double rms = -1;
    std::uint64_t trial = 0;
  };
  Worst worst[kPolicies];
  std::optional<std::uint64_t> miscorrected_trial;  ///< first trial with a miscorrection
  std::uint64_t engine_differed = 0;                ///< trials with engine_differs

  void add(std::uint64_t trial, const TrialResult& result, const std::vector<ErasurePolicy>& of);
};

/// Work of each trial at one code and one rate.
struct TrialPlan {
  const Workload* workload;
  const FaultSource* source;
  std::vector<ErasurePolicy> policies;
  EngineFactory engine;       ///< its scores are counted
  EngineFactory checker;      ///< must give the same scores; may be empty
  RecordDecoder decode = {};  ///< under test; empty: RecordCode::decode
};

/// Runs trials on one thread.
class TrialRunner {
 public:
  explicit TrialRunner(const TrialPlan& plan);

  TrialResult run(std::uint32_t trial, bool scored);

  /// The masks of a trial [T, stored bytes].
  const std::vector<std::uint8_t>& draw(std::uint32_t trial);

 private:
  void decode(TrialResult* result);
  void count(std::size_t token, const DecodeCounts& counts, TrialResult* result);
  void count_policy(ErasurePolicy policy, TrialResult* result);
  void repair(ErasurePolicy policy, std::size_t token, std::uint8_t* record) const;
  void score(ErasurePolicy policy, TrialResult* result);
  bool differs(const FaultOutcome& outcome, ErasurePolicy policy) const;

  const TrialPlan& plan_;
  const Workload& workload_;
  const RecordCode& code_;
  std::unique_ptr<FaultEngine> engine_, checker_;
  std::vector<std::uint8_t> masks_;            // [T, stored bytes]
  std::vector<std::uint8_t> hit_, erased_;     // [T], true or false
  std::vector<std::uint8_t> data_, statuses_;  // [T, data bytes], [T, status bytes]
  std::vector<RecordCounts> counts_;           // [T], before repair
};

}  // namespace axelram::faults
