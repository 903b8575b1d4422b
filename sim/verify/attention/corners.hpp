#pragma once

#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/coverage.hpp"
#include "rtl/attention/driver.hpp"
#include "verify/macro/balance.hpp"

namespace axelram::sim {

/// Counts the corner cases of scripts for a macro with attention: of their vectors, of what golden
/// does with them, and of the streams.
class AttentionCorners : public run::ScriptObserver {
 public:
  explicit AttentionCorners(const files::Config& config) : config_(config) {}

  // These see the golden run of a script.
  void note_vectors(const run::AttentionScript& script);
  void on_step(const AttentionMacro& macro, const run::AttentionStep& step) override;
  void on_token(const TokenResult& token) override;
  void on_group(const GroupResult& group) override;
  void note_events(const run::GoldenScript& golden);

  /// A reset in this state, with or without an item under way.
  void note_reset(AttentionState state, bool inside_item);

  /// All bins; `streams` are those of all runs.
  std::vector<CoverageBin> bins(const AttentionStreams& streams) const;

 private:
  /// Vectors by the class of their elements.
  struct Classes {
    std::uint64_t zero = 0, subnormal = 0, largest = 0, nan = 0, infinity = 0;
  };
  struct Softmax {
    std::uint64_t rises = 0, rises_always = 0, falls_always = 0, stays = 0;
    std::uint64_t reference_rises = 0, weight_zero = 0, no_weight = 0;
  };
  void note_class(const std::uint16_t* vector, Classes* classes) const;
  void note_order(const AttentionMacro& macro, const files::SegmentCommand& command);
  void note_counters(const AttentionCounters& counters);
  void note_softmax(const AttentionResult& output);
  void add_bins(const char* what, const Classes& classes, std::vector<CoverageBin>* bins) const;

  const files::Config& config_;
  Classes keys_, values_, queries_;
  BalanceCorners balanced_keys_, balanced_queries_;
  Softmax softmax_;
  std::uint64_t key_alone_ = 0, value_alone_ = 0, group_partly_ = 0, query_limit_ = 0;
  std::uint64_t norm_zero_ = 0, norm_subnormal_ = 0, norms_saturated_ = 0;
  std::uint64_t score_zero_ = 0, scores_saturated_ = 0, logit_zero_ = 0, logits_saturated_ = 0;
  std::uint64_t no_token_ = 0, all_zero_ = 0, output_zero_ = 0, outputs_saturated_ = 0;
  std::uint64_t full_ = 0, wraps_ = 0, reads_wrap_ = 0, last_place_ = 0;
  std::uint64_t taken_ = 0, out_of_range_ = 0, of_free_ = 0, bad_order_ = 0, bad_item_ = 0;
  std::uint64_t item_of_free_ = 0, evicts_all_ = 0, evicts_some_ = 0, frees_tokens_ = 0;
  std::uint64_t scores_ = 0, scores_of_none_ = 0, scales_ = 0, cleared_counters_ = 0, clears_ = 0;
  std::uint64_t rotations_ = 0;
  std::uint64_t corrected_keys_ = 0, corrected_values_ = 0, detected_keys_ = 0,
                detected_values_ = 0;
  std::uint64_t written_back_ = 0, policies_[3] = {}, injected_[2][4] = {};
  std::uint64_t resets_[6] = {}, resets_inside_ = 0;
};

}  // namespace axelram::sim
