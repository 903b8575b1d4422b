#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/errors.hpp"
#include "rtl/attention/ports.hpp"

namespace axelram::sim {

/// Takes the first of what is expected. Throws SimulationError if nothing is.
template <class T>
T next_of(std::deque<T>* queue, const char* what) {
  if (queue->empty()) throw SimulationError(std::string("the RTL output too many ") + what);
  const T first = queue->front();
  queue->pop_front();
  return first;
}

/// The tensors of a macro with attention, cycle by cycle from its ports. The driver says which row
/// of the trace the vectors on their way belong to.
class AttentionCollector {
 public:
  AttentionCollector(const files::Config& config, const rtl::Layout& layout, AttentionPorts& ports,
                     const files::Trace& trace);

  /// The last beat of a key or a value was taken in this cycle.
  void vector_taken(std::size_t row, bool is_value) { taken_.push_back({row, is_value}); }
  /// The last beat of an append was taken: the fate of row `row` follows.
  void token_taken(std::size_t row) { fates_.push_back(row); }
  /// The first beat of a group: queries `first` to `first + count - 1` of the trace, others after.
  /// attends: it has outputs, and its scores are no beats of their own.
  void group_taken(std::size_t first, std::size_t count, bool attends);
  /// The last beat of a query of the group was taken.
  void query_taken() { taken_.push_back({group_.first + queries_taken_++, false, true}); }

  void observe();

  bool pending() const {
    return tokens_pending() || outputs_pending() || scored_ < reads_.size() || !beats_.empty();
  }
  bool tokens_pending() const { return !fates_.empty() || !done_.empty(); }
  bool outputs_pending() const { return !outputs_.empty(); }
  /// Rows of tokens that were rejected, each once.
  std::vector<std::size_t> take_rejected_tokens() { return std::exchange(rejected_tokens_, {}); }
  bool take_rejected_group() { return std::exchange(rejected_group_, false); }
  /// Of the copy of a row, if it was kept.
  unsigned slot(std::size_t row) const { return slots_[row]; }
  /// The result, without copies. Throws SimulationError if score_last_o was not with the last score
  /// of a group.
  files::Result finish();

 private:
  struct Vector {
    std::size_t row = 0;  ///< of the trace; of queries that fill up a group a row behind its own
    bool is_value = false, is_query = false;
  };
  struct Group {
    std::size_t number = 0, first = 0, count = 0;
    bool attends = false;
    std::size_t head = 0;  ///< heads that have been output
  };
  /// A token that a group has read.
  struct Read {
    Group group;
    std::size_t row;
  };
  void observe_ends();
  void observe_copies();
  void observe_records();
  void observe_codewords();
  void observe_quantizer();
  void observe_query();
  void observe_rejection();
  void observe_tokens();
  void observe_scores();
  void observe_heads();
  void observe_outputs();
  /// Calls set(cell, g) for each query of the group and the token of number `*next` of `reads`.
  template <class Set>
  void of_token(const char* what, const std::vector<Read>& reads, std::size_t* next, Set&& set);

  const files::Config& config_;
  const rtl::Layout& layout_;
  AttentionPorts& ports_;
  files::Result result_;
  std::size_t d_;
  std::vector<std::size_t> rows_;  ///< of each place
  std::vector<bool> stored_;       ///< of each row

  std::deque<Vector> taken_;  ///< vectors whose NaN or infinity is not known yet
  bool vector_ended_ = false;
  std::deque<std::size_t> fates_;  ///< rows whose fate is not known yet
  struct Fate {
    std::size_t row;
    bool stored;
  };
  std::deque<Fate> done_;             ///< tokens with a fate that are not stored or dropped yet
  std::deque<std::size_t> copying_;   ///< rows whose copies are not in their slots yet
  std::vector<unsigned> slots_;       ///< of each row
  std::deque<std::size_t> encoding_;  ///< rows on their way to the memories; only with a code
  std::deque<Vector> norms_, thresholds_, indices_, correlations_, costs_, reconstructions_, paths_;
  std::size_t index_row_ = 0;  ///< elements of a vector so far
  std::vector<std::size_t> rejected_tokens_;
  bool rejected_group_ = false;

  Group group_;   ///< the last one taken
  Group answer_;  ///< the last one with outputs
  std::size_t queries_taken_ = 0;
  std::deque<std::size_t> loads_;
  std::size_t load_element_ = 0;
  std::vector<Read> reads_, attended_;  ///< of all groups, of those with outputs
  std::size_t accs_ = 0, scored_ = 0, logits_ = 0, weights_ = 0, rotated_ = 0;
  /// A beat of scores: the number of its read, and whether it was the last one.
  struct Beat {
    std::size_t read;
    bool last = false;
  };
  std::deque<Beat> beats_;  ///< that are still to come
  std::vector<Beat> seen_beats_;
  std::deque<Group> outputs_;
  std::size_t output_element_ = 0;
};

}  // namespace axelram::sim
