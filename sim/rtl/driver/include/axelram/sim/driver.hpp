#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/command.hpp"
#include "axelram/sim/cycles.hpp"
#include "axelram/sim/errors.hpp"
#include "axelram/sim/observer.hpp"
#include "axelram/sim/rtl_model.hpp"
#include "axelram/sim/stalls.hpp"

namespace axelram::sim {

/// Events that functional coverage counts, by stream and phase.
struct StallCounts {
  std::uint64_t gap_before_vector = 0;     ///< no valid beat between vectors
  std::uint64_t gap_inside_vector = 0;     ///< no valid beat inside a vector
  std::uint64_t waiting[4] = {};           ///< a beat valid and not accepted, by state
  std::uint64_t score_held_first = 0;      ///< score_ready low on the first score of a query
  std::uint64_t score_held_middle = 0;     ///< ... in the middle
  std::uint64_t score_held_last = 0;       ///< ... on the last
  std::uint64_t reads_throttled = 0;       ///< a read waits because the score FIFO is full
  std::uint64_t scores_during_accept = 0;  ///< a score accepted while the next vectors are sent
  std::uint64_t back_to_back =
      0;  ///< the first beat of a vector in the cycle after the last beat of another
  std::uint64_t record_waited = 0;  ///< a record from outside waits for earlier keys
  std::uint64_t key_awaited = 0;    ///< a vector waits until a key is quantized, a cycle each
  std::uint64_t copy_awaited = 0;   ///< a read waits for the accumulator of a copy
  std::uint64_t clear_waited = 0;   ///< a clear waits for keys that are not stored yet
  std::uint64_t resets_by_state[4] = {};
  // With a code: events during initialisation of the memory, or between the read and the decoding
  // of a scrub.
  std::uint64_t waiting_initialised = 0;
  std::uint64_t resets_initialising = 0, resets_scrubbing = 0;
  std::uint64_t clears_scrubbing = 0, queries_scrubbing = 0;
};

/// Drives one macro: sends commands on its streams with stalls, checks the protocol (valid and data
/// hold until accepted), and reports to an observer.
class Driver {
 public:
  Driver(const files::Config& config, RtlModel& model, Stalls stalls, std::uint64_t seed);

  /// Runs the commands to their end. Throws ProtocolError if nothing moves for long.
  void run(const std::vector<Command>& commands, Observer& observer);

  /// Starts a waveform when cycle `from` is reached.
  void record_waves(const std::string& path, std::uint64_t from);
  /// Lets `count` cycles pass without valid inputs and without an observer.
  void idle(int count);

  std::uint64_t cycle() const { return cycle_; }
  std::size_t commands_done() const { return commands_done_; }  ///< started by the last run()
  const Cycles& cycles() const { return cycles_; }
  const StallCounts& stall_counts() const { return stall_counts_; }
  std::uint32_t error_count(int event) const { return error_counts_.field(event * 32, 32); }
  unsigned errors() const { return static_cast<unsigned>(errors_.get()); }
  /// Only with a code. Events: words corrected, parity bit only, detected; records written back.
  std::uint32_t code_count(int event) const { return code_counts_.field(event * 32, 32); }
  std::optional<unsigned> first_error() const;
  bool injection_armed() const { return inject_armed_.get() != 0; }
  bool ready() const { return ready_.get() != 0; }
  unsigned state() const { return static_cast<unsigned>(state_.get()); }
  /// Only with exact tokens: whether a place (copy_place) holds a copy.
  bool copied(unsigned place) const { return copied_.field(static_cast<int>(place), 1) != 0; }
  unsigned key_count() const { return static_cast<unsigned>(key_count_.get()); }

 private:
  void reset();
  void step(Observer& observer);
  void drive();
  void check_independence();
  void offer_beat();
  void observe(Observer& observer);
  bool copy_awaited() const;
  void observe_copy(Observer& observer);
  void observe_key(Observer& observer);
  void observe_part(std::size_t j, Observer& observer);
  void observe_nearest(std::size_t j, Observer& observer);
  void observe_search(std::size_t j, Observer& observer);
  void observe_reconstructions(std::size_t j, Observer& observer);
  void observe_residual(Observer& observer);
  void observe_query(Observer& observer);
  void observe_scores(Observer& observer);
  void observe_code(Observer& observer);
  void check_clock() const;
  void account(unsigned state);

  // One function for each kind of command.
  void execute(const command::Key& key, Observer& observer);
  void execute(const command::Record& record, Observer& observer);
  void execute(const command::KeyThenClear& key, Observer& observer);
  void execute(const command::Query& query, Observer& observer);
  void execute(const command::Clear&, Observer& observer);
  void execute(const command::ClearBeforeNext&, Observer& observer);
  void execute(const command::Drain&, Observer& observer);
  void execute(const command::ClearErrors&, Observer& observer);
  void execute(const command::ClearErrorsAtRejection&, Observer& observer);
  void execute(const command::Reset& reset, Observer& observer);
  void execute(const command::Inject& inject, Observer& observer);
  void execute(const command::Protect& protect, Observer& observer);
  void execute(const command::Wait& wait, Observer& observer);
  void execute(const command::AwaitScrub& wait, Observer& observer);
  enum class Kind { key, query, record };
  void offer(const Vector& vector, Kind kind, bool then_clear);
  /// Steps until done(). Throws ProtocolError if the macro hangs.
  template <class Done>
  void step_until(Done&& done, Observer& observer);

  const files::Config config_;
  const rtl::Layout layout_;
  RtlModel& model_;
  StallSource stalls_;

  PortValue rst_ni_, vector_valid_, vector_ready_, vector_query_, vector_record_, vector_data_;
  PortValue score_valid_, score_ready_, score_data_, score_last_, score_saturated_;
  PortValue clear_valid_, clear_ready_, key_count_, busy_, query_done_;
  PortValue errors_clear_, errors_, error_counts_, state_;
  /// Ports of a key, or of a sub-vector of it.
  struct Part {
    PortValue thresholds_valid, thresholds, norm_valid, norm, indices_valid, indices;
    PortValue correlation_valid, correlation;  // only with an unbiased scale
    // Only with a trellis.
    PortValue reconstructions_valid, reconstructions, path_cost_valid, path_cost;
    PortValue index_valid, index, level;
    /// Indices and levels so far: of a trellis the last element first, of a split all rows.
    std::vector<std::uint8_t> traced_indices, traced_levels;
  };
  std::array<Part, 2> parts_;
  /// Values of sub-vector 0 and 1, until both are known: an observer gets them in turn.
  template <typename T>
  class InTurn {
   public:
    template <typename Emit>
    void add(std::size_t part, T value, std::size_t parts, Emit&& emit) {
      waiting_[part].push_back(std::move(value));
      while (!waiting_[next_].empty()) {
        emit(waiting_[next_].front());
        waiting_[next_].pop_front();
        next_ = (next_ + 1) % parts;
      }
    }

   private:
    std::array<std::deque<T>, 2> waiting_;
    std::size_t next_ = 0;
  };
  struct Turns {
    InTurn<std::vector<std::int32_t>> thresholds, reconstructions;
    InTurn<std::uint16_t> norms;
    InTurn<std::int64_t> correlations;
    InTurn<std::uint32_t> path_costs;
    InTurn<std::vector<std::uint8_t>> indices;  ///< with a trellis levels, then indices
  };
  Turns turns_;
  std::vector<std::int32_t> query_elements_;  ///< of a split query so far
  // Only with residuals.
  PortValue residual_shift_valid_, residual_shift_, residual_signs_valid_, residual_signs_;
  PortValue residual_norm_valid_, residual_norm_, residual_query_valid_, residual_acc_;
  PortValue key_waits_, clock_running_;  // only if vectors wait behind a key; with clock gating
  PortValue record_valid_, record_rejected_, key_rejected_, record_waits_;
  // Only with exact tokens.
  PortValue copy_valid_, copy_, copy_exponent_, copy_ready_, copied_;
  PortValue query_valid_, query_row_, query_exponent_, read_, acc_valid_, acc_;
  PortValue second_acc_;  // only with a split
  // Only with a code.
  PortValue code_load_, erasure_, write_back_, code_counts_, first_valid_, first_address_;
  PortValue inject_load_, inject_mode_, inject_mask_, inject_armed_;
  PortValue record_, ready_, memory_read_, memory_address_, decoded_valid_, decoded_scrub_;
  PortValue decoded_, status_, written_back_, lookup_valid_, lookup_;

  /// Key, query or record on the vector stream.
  struct Offer {
    const std::uint16_t* elements = nullptr;  ///< null: none
    Kind kind = Kind::key;
    bool then_clear = false;  ///< raise a clear after the first beat
  };
  Offer offered_;
  int beat_ = 0;
  bool released_busy_ = true;  ///< and closed, as it must be while the reset is released
  bool beat_on_bus_ = false;
  bool clearing_ = false;
  bool input_was_gap_ = false;
  bool last_beat_just_taken_ = false;
  bool score_is_first_ = true;
  bool counted_scores_ = false;
  bool score_held_ = false;  ///< valid in the last cycle and not accepted
  bool scrubbing_ = false;   ///< a scrub has read the memory and is not decoded yet
  std::array<std::uint64_t, 3> held_score_{};
  int since_read_ = 0;            ///< cycles since the last SRAM read of a query
  std::uint64_t reads_left_ = 0;  ///< keys that this query has not read yet

  std::size_t commands_done_ = 0;
  std::string waves_path_;
  std::uint64_t waves_from_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint64_t last_progress_ = 0;
  std::uint64_t first_beat_ = ~std::uint64_t{0};
  std::uint64_t written_beat_ = 0;  ///< cycle of the last beat of a key or a query, or of a reset
  std::uint64_t first_key_beat_ = ~std::uint64_t{0};
  bool rotating_ = false;
  std::uint64_t writes_pending_ = 0;  ///< keys accepted and not stored or rejected yet
  std::uint64_t scores_pending_ = 0;  ///< scores of the queries so far, not accepted yet
  bool query_running_ = false;
  Cycles cycles_;
  StallCounts stall_counts_;
};

}  // namespace axelram::sim
