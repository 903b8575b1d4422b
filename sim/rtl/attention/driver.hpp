#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "axelram/run/script.hpp"
#include "axelram/sim/cycles.hpp"
#include "axelram/sim/stalls.hpp"
#include "rtl/attention/collector.hpp"

namespace axelram::sim {

/// States of axelram_attention_control, as obs_state_o shows them.
enum class AttentionState : std::uint8_t { accept, rotate, build, read, tail, command };

/// What happened at the streams of a macro with attention, for functional coverage.
struct AttentionStreams {
  AttentionStreams& operator+=(const AttentionStreams& other);

  std::uint64_t back_to_back = 0;  ///< an item's first beat two cycles behind another's last
  std::uint64_t gap_inside_vector = 0;
  std::uint64_t gap_between_vectors = 0;
  std::uint64_t waiting[6] = {};             ///< cycles of a beat offered and not taken, by state
  std::uint64_t group_waits_for_room = 0;    ///< cycles of a group's first beat behind held outputs
  std::uint64_t order_waits_for_tokens = 0;  ///< cycles of a command or a clear
  std::uint64_t command_before_item = 0;     ///< taken while the item behind it is offered
  std::uint64_t command_inside_item = 0;     ///< offered behind the first beat of an item
  std::uint64_t clear_before_item = 0;       ///< as command_before_item
  std::uint64_t output_held_first = 0;       ///< beats of outputs not taken: the first of a head
  std::uint64_t output_held_middle = 0;
  std::uint64_t output_held_last = 0;
  std::uint64_t score_held = 0;           ///< beats of scores not taken
  std::uint64_t output_held_long = 0;     ///< beats of outputs held for 9000 cycles
  std::uint64_t tokens_while_held = 0;    ///< tokens stored while an output waits
  std::uint64_t commands_while_held = 0;  ///< commands taken meanwhile
  std::uint64_t groups_overlapping = 0;   ///< a group's first beat taken with outputs still to come
};

/// Carries out a script at the ports of a macro with attention.
class AttentionDriver {
 public:
  /// early: a command may be offered while an item is under way, and an item while a command waits.
  /// The order in which they are taken remains that of the script. Resets the macro.
  AttentionDriver(const files::Config& config, const run::AttentionScript& script, RtlModel& model,
                  Stalls stalls, std::uint64_t seed, bool early = false);

  /// Carries out all steps and waits until everything has been output. Throws SimulationError: if
  /// the RTL hangs, an assertion fails, or there are too many or too few outputs.
  void run();
  /// Carries out steps until the macro was in a state for `cycles` cycles, inside an item if asked.
  /// False if the script ended before.
  bool run_until(AttentionState state, std::uint64_t cycles, bool inside_item);
  /// Carries out steps for `cycles` cycles. False if the script ended before.
  bool run_for(std::uint64_t cycles);
  /// Resets the macro and begins with another script, at its first step.
  void restart(const run::AttentionScript& script);

  /// Records an FST from this cycle on.
  void record_waves(const std::string& path, std::uint64_t from) {
    waves_path_ = path;
    waves_from_ = from;
  }

  /// Takes what was sampled, and the copies that the memory holds.
  files::Result take_result();
  const std::vector<std::uint8_t>& refused() const { return refused_; }  ///< of each step
  const Cycles& cycles() const { return cycles_; }
  std::uint64_t cycle() const { return cycle_; }
  bool inside_item() const { return item_ && item_->beats > 0; }
  const AttentionStreams& streams() const { return streams_; }
  AttentionCounters events() const;
  /// Words corrected, parity only, detected, and records written back; only with a code.
  std::vector<std::uint64_t> code_events() const;

 private:
  using Kind = files::SegmentCommand::Kind;
  /// Codes of vector_kind_i; kBad is one of command_kind_i, too.
  static constexpr unsigned kAppend = 0, kAttend = 1, kScore = 2, kBad = 3;

  /// An item on the vector stream.
  struct Item {
    std::size_t step;
    unsigned kind;  ///< vector_kind_i of its first beat
    std::uint32_t segment;
    std::vector<const std::uint16_t*> vectors;
    std::size_t row = 0, queries = 0;  ///< its key or first query, and how many queries it has
    int beats = 0;                     ///< taken
    bool offered = false;
  };
  /// A command or a clear.
  struct Order {
    std::size_t step;
    bool clear;
    unsigned kind = 3;               ///< command_kind_i
    files::SegmentCommand fields{};  ///< of the command
    std::uint64_t offered = 0;       ///< cycles
    bool taken = false;
  };

  void reset();
  void tick();
  void step();
  void begin_steps();
  bool begin(const run::AttentionStep& step);
  void begin_item(unsigned kind, std::uint32_t segment);
  bool may_begin_item() const;
  bool may_begin_order() const;
  bool quiet() const;
  void load(const run::AttentionStep& step);
  void load_rotation();
  void release();
  void offer_beat();
  void offer_order();
  void observe();
  void observe_beat();
  void observe_order();
  void observe_streams();
  void account();
  bool pending() const;

  const files::Config& config_;
  const run::AttentionScript* script_;
  const rtl::Layout layout_;
  RtlModel& model_;
  AttentionPorts ports_;
  StallSource stalls_, order_stalls_;
  const bool early_;
  std::size_t d_;
  std::vector<std::uint16_t> zeros_;
  std::optional<AttentionCollector> collector_;

  std::size_t next_ = 0;  ///< the first step that has not begun
  std::optional<Item> item_;
  std::optional<Order> order_;
  bool loading_ = false;
  const run::attention_step::LoadRotation* rotation_ = nullptr;  ///< that is loaded
  std::size_t rotation_beats_ = 0;  ///< of it, with the one of this cycle
  std::size_t key_ = 0, query_ = 0, group_ = 0;
  std::size_t groups_ = 0, groups_done_ = 0;  ///< begun, and those that query_done_o showed
  std::vector<std::size_t> appends_;          ///< of each key, its step
  std::vector<std::uint8_t> refused_;
  std::uint64_t held_until_ = 0, output_waits_ = 0;
  std::uint64_t item_ended_ = 0;  ///< the cycle of the last beat of an item
  bool first_output_ = true;

  bool rotating_ = false;
  std::uint64_t cycle_ = 0, last_progress_ = 0;
  std::uint64_t state_ = 0, in_state_ = 0;  ///< of the cycle before, and for how many cycles
  std::uint64_t first_beat_ = ~std::uint64_t{0}, first_token_ = ~std::uint64_t{0};
  Cycles cycles_;
  AttentionStreams streams_;
  std::string waves_path_;
  std::uint64_t waves_from_ = 0;
};

}  // namespace axelram::sim
