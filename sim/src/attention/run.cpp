#include <algorithm>

#include "axelram/sim/engine.hpp"
#include "axelram/sim/errors.hpp"
#include "collector.hpp"

namespace axelram::sim {
namespace {

using files::SegmentCommand;

/// Drives a macro with attention through the commands of a trace.
class AttentionDriver {
 public:
  AttentionDriver(const files::Config& config, const files::Trace& trace, RtlModel& model,
                  Stalls stalls, std::uint64_t seed)
      : config_(config),
        trace_(trace),
        layout_(config),
        model_(model),
        ports_(config, layout_, model),
        stalls_(stalls, seed),
        d_(static_cast<std::size_t>(config.parameters.head_dim)),
        collector_(config, layout_, ports_, trace.key_count(), trace.query_count()) {
    reset();
  }

  RtlRun run(const std::vector<SegmentCommand>& commands) {
    refused_.assign(commands.size(), 0);
    for (now_ = 0; now_ < commands.size(); ++now_) execute(commands[now_]);
    while (collector_.tokens_pending() || collector_.group_pending() || ports_.busy.get() != 0)
      step();
    RtlRun done{collector_.finish(), cycles_, events()};
    if (trace_.commands) {
      done.result.command_count = refused_.size();
      done.result.attention->refused = std::move(refused_);
    }
    return done;
  }

 private:
  void reset() {
    for (PortValue* input :
         {&ports_.vector_valid, &ports_.command_valid, &ports_.clear_valid, &ports_.output_ready,
          &ports_.score_ready, &ports_.scale_load, &ports_.errors_clear})
      input->set(0);
    if (layout_.code) {
      ports_.code_load.set(0);
      ports_.inject_load.set(0);
    }
    ports_.rst_n.set(1);
    model_.peek();
    ports_.rst_n.set(0);
    for (int i = 0; i < 3; ++i) tick();
    ports_.rst_n.set(1);
    for (int i = 0; i < layout_.release_cycles; ++i) tick();
  }

  void tick() {
    model_.settle();
    model_.edge();
  }

  /// One cycle; `look` sees the outputs before the edge.
  template <class Look>
  void step(Look&& look) {
    ports_.output_ready.set(stalls_.output() ? 0 : 1);
    ports_.score_ready.set(1);
    model_.settle();
    look();
    observe();
    model_.edge();
    if (*model_.failure() != '\0')
      throw AssertionError(std::string("the assertion at ") + model_.failure() + " failed");
    ++cycle_;
    if (cycle_ - last_progress_ > kPatience)
      throw ProtocolError("cycle " + std::to_string(cycle_) + ": the macro hangs in state " +
                          std::to_string(ports_.state.get()));
  }
  void step() {
    step([] {});
  }

  void observe() {
    const std::uint64_t state = ports_.state.get();
    if (state == kCommand && ports_.bad_command.get() != 0) refused_[now_] = 1;
    collector_.observe();
    for (const std::size_t row : collector_.take_rejected_tokens()) refused_[appends_[row]] = 1;
    if (collector_.take_rejected_group()) {
      refused_[group_] = 1;
      rotating_ = false;
    }
    account(state);
  }

  void account(std::uint64_t state) {
    // Behind the encoder, if there is one.
    const bool stored = (layout_.code ? ports_.written : ports_.token_done).get() != 0;
    const bool output = ports_.output_valid.get() != 0 && ports_.output_ready.get() != 0;
    if (stored) cycles_.write = cycle_ - first_token_ + 1;
    if (state == kBuild) rotating_ = false;
    cycles_.rotate += rotating_ ? 1 : 0;
    cycles_.build += state == kBuild ? 1 : 0;
    cycles_.read += state == kRead ? 1 : 0;
    cycles_.tail += state == kTail ? 1 : 0;
    if (stored || output || state == kBuild || state == kRead) last_progress_ = cycle_;
    if (stored || output) cycles_.total = cycle_ - first_beat_ + 1;
  }

  void execute(const SegmentCommand& command) {
    switch (command.kind) {
      case SegmentCommand::Kind::append:
        return append(command.segment);
      case SegmentCommand::Kind::attend:
        return attend(command.segment);
      default:
        return change(command);
    }
  }

  /// A command on its stream, until it has taken effect.
  void change(const SegmentCommand& command) {
    using Kind = SegmentCommand::Kind;
    const int kind = command.kind == Kind::allocate ? 0 : command.kind == Kind::evict ? 1 : 2;
    ports_.command_kind.set(static_cast<std::uint64_t>(kind));
    ports_.command_segment.set(command.segment);
    ports_.command_base.set(command.allocation.base);
    ports_.command_capacity.set(command.allocation.capacity);
    ports_.command_sinks.set(command.allocation.sinks);
    ports_.command_rotation.set(command.allocation.rotation);
    ports_.command_wrap.set(command.allocation.wrap ? 1 : 0);
    ports_.command_n.set(command.n);
    ports_.command_valid.set(1);
    for (bool taken = false; !taken;) step([&] { taken = ports_.command_ready.get() != 0; });
    ports_.command_valid.set(0);
    do {
      step();
    } while (ports_.state.get() == kCommand);
    last_progress_ = cycle_;
  }

  /// Calls taken(beat, good) in the cycle in which a beat is taken; good: not of a bad command.
  template <class Taken>
  void send(const std::uint16_t* vector, unsigned kind, std::uint32_t segment, bool first,
            Taken&& taken) {
    const int lanes = config_.microarchitecture.key_lanes;
    for (int beat = 0; beat < layout_.rows; ++beat) {
      while (stalls_.input()) step();
      // Only the first beat of an item names kind and segment. Others carry random bits.
      const bool names = first && beat == 0;
      ports_.vector_kind.set(names ? kind : stalls_.random() & 3U);
      ports_.vector_segment.set(names ? segment : stalls_.random() & 255U);
      ports_.vector_data.set_bytes(vector + beat * lanes);
      ports_.vector_valid.set(1);
      for (bool accepted = false; !accepted;)
        step([&] {
          accepted = ports_.vector_ready.get() != 0;
          if (accepted) taken(beat, ports_.beat.get() != 0);
        });
      ports_.vector_valid.set(0);
      last_progress_ = cycle_;
    }
  }

  void begin(bool is_token) {
    first_beat_ = std::min(first_beat_, cycle_);
    if (is_token) first_token_ = std::min(first_token_, cycle_);
  }

  void append(std::uint32_t segment) {
    const std::size_t row = appends_.size();
    appends_.push_back(now_);
    for (const bool is_value : {false, true}) {
      const auto& vectors = is_value ? *trace_.values : trace_.keys;
      send(vectors.data() + row * d_, kAppend, segment, !is_value, [&](int beat, bool good) {
        if (beat == 0 && !is_value) begin(true);
        if (beat != layout_.rows - 1) return;
        if (good) collector_.vector_taken(row, is_value);
        if (is_value && good) collector_.token_taken(row);
        if (!good) refused_[now_] = 1;
      });
    }
  }

  /// The next group, filled up with zero vectors behind the last query.
  void attend(std::uint32_t segment) {
    const auto heads = static_cast<std::size_t>(config_.attention.parameters.group);
    const std::size_t first = query_, here = std::min(heads, trace_.query_count() - query_);
    query_ += here;
    const std::vector<std::uint16_t> zeros(d_);
    for (std::size_t g = 0; g < heads; ++g)
      send(g < here ? trace_.queries.data() + (first + g) * d_ : zeros.data(), kAttend, segment,
           g == 0, [&](int beat, bool good) {
             if (beat == 0 && g == 0) {
               begin(false);
               if (good) {
                 collector_.group_taken(first, here);
                 group_ = now_;
                 rotating_ = true;
               }
             }
             if (beat != layout_.rows - 1) return;
             if (good) collector_.query_taken();
             if (!good) refused_[now_] = 1;
           });
  }

  AttentionCounters events() const {
    const auto count = [&](int event) { return ports_.error_counts.field(event * 32, 32); };
    AttentionCounters all;
    all.tokens_nonfinite = count(0);
    all.groups_nonfinite = count(1);
    all.tokens_full = count(2);
    all.norms_saturated = count(3);
    all.scores_saturated = count(4);
    all.logits_saturated = count(5);
    all.outputs_saturated = count(6);
    all.bad_commands = count(7);
    all.scales_refused = layout_.errors > 8 ? count(8) : 0;
    return all;
  }

  static constexpr std::uint64_t kBuild = 2, kRead = 3, kTail = 4, kCommand = 5;
  static constexpr unsigned kAppend = 0, kAttend = 1;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// Longer than the longest rotation, table and tail.
  static constexpr std::uint64_t kPatience = 100'000;

  const files::Config config_;
  const files::Trace& trace_;
  const rtl::Layout layout_;
  RtlModel& model_;
  AttentionPorts ports_;
  StallSource stalls_;
  std::size_t d_;
  AttentionCollector collector_;
  std::vector<std::uint8_t> refused_;  ///< of each command
  std::vector<std::size_t> appends_;   ///< of each key, its command
  std::size_t now_ = 0, group_ = 0, query_ = 0;
  bool rotating_ = false;
  std::uint64_t cycle_ = 0, last_progress_ = 0, first_beat_ = kNever, first_token_ = kNever;
  Cycles cycles_;
};

}  // namespace

RtlRun run_rtl_attention(const files::Config& config, const files::Trace& trace,
                         const std::string& library, Stalls stalls, std::uint64_t seed,
                         const std::string& waves) {
  RtlModel model(library, static_cast<unsigned>(seed % 0x7fffffffU) + 1);
  if (!waves.empty()) model.start_waves(waves);
  AttentionDriver driver(config, trace, model, stalls, seed);
  return driver.run(segment_commands(config, trace));
}

}  // namespace axelram::sim
