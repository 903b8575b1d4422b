#include "rtl/attention/driver.hpp"

#include <algorithm>
#include <string>

#include "axelram/run/overloaded.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/errors.hpp"
#include "rtl/attention/copied_rows.hpp"
#include "rtl/driver/stored_copy.hpp"

namespace axelram::sim {
namespace {

using files::SegmentCommand;

/// Longer than the longest rotation, table, tail and hold.
constexpr std::uint64_t kPatience = 100'000;

unsigned code_of(SegmentCommand::Kind kind) {
  return kind == SegmentCommand::Kind::allocate ? 0 : kind == SegmentCommand::Kind::evict ? 1 : 2;
}

}  // namespace

AttentionStreams& AttentionStreams::operator+=(const AttentionStreams& other) {
  for (auto member :
       {&AttentionStreams::back_to_back, &AttentionStreams::gap_inside_vector,
        &AttentionStreams::gap_between_vectors, &AttentionStreams::group_waits_for_room,
        &AttentionStreams::order_waits_for_tokens, &AttentionStreams::command_before_item,
        &AttentionStreams::command_inside_item, &AttentionStreams::clear_before_item,
        &AttentionStreams::output_held_first, &AttentionStreams::output_held_middle,
        &AttentionStreams::output_held_last, &AttentionStreams::score_held,
        &AttentionStreams::output_held_long, &AttentionStreams::tokens_while_held,
        &AttentionStreams::commands_while_held, &AttentionStreams::groups_overlapping})
    this->*member += other.*member;
  for (std::size_t i = 0; i < std::size(waiting); ++i) waiting[i] += other.waiting[i];
  return *this;
}

AttentionDriver::AttentionDriver(const files::Config& config, const run::AttentionScript& script,
                                 RtlModel& model, Stalls stalls, std::uint64_t seed, bool early)
    : config_(config),
      layout_(config),
      model_(model),
      ports_(config, layout_, model),
      stalls_(stalls, seed),
      order_stalls_(stalls, seed + 1),
      early_(early),
      d_(static_cast<std::size_t>(config.parameters.head_dim)),
      zeros_(d_) {
  restart(script);
}

void AttentionDriver::restart(const run::AttentionScript& script) {
  script_ = &script;
  collector_.emplace(config_, layout_, ports_, script.vectors);
  refused_.assign(script.steps.size(), 0);
  appends_.clear();
  item_.reset();
  order_.reset();
  next_ = key_ = query_ = group_ = groups_ = groups_done_ = 0;
  loading_ = rotating_ = false;
  rotation_ = nullptr;
  first_output_ = true;
  held_until_ = output_waits_ = state_ = in_state_ = item_ended_ = 0;
  first_beat_ = first_token_ = ~std::uint64_t{0};
  cycles_ = {};
  reset();
  last_progress_ = cycle_;
}

void AttentionDriver::reset() {
  for (PortValue* input : {&ports_.vector_valid, &ports_.command_valid, &ports_.clear_valid,
                           &ports_.output_ready, &ports_.score_ready})
    input->set(0);
  release();
  ports_.rst_n.set(1);
  model_.peek();
  ports_.rst_n.set(0);
  for (int i = 0; i < 3; ++i) tick();
  ports_.rst_n.set(1);
  for (int i = 0; i < layout_.release_cycles; ++i) tick();
}

void AttentionDriver::tick() {
  model_.settle();
  model_.edge();
}

void AttentionDriver::run() {
  while (pending()) step();
  step();  // query_done_o follows the end of a group
  if (groups_done_ != groups_)
    throw ProtocolError(std::to_string(groups_) + " groups, and query_done_o was high in " +
                        std::to_string(groups_done_) + " cycles");
}

files::Result AttentionDriver::take_result() {
  files::Result result = collector_->finish();
  if (!result.has_copies()) return result;
  for (const std::optional<std::size_t>& row : copied_rows(config_, *script_, refused_))
    if (row) append_stored_copy(config_, model_, collector_->slot(*row), *row, &result);
  return result;
}

bool AttentionDriver::run_until(AttentionState state, std::uint64_t cycles, bool inside_item) {
  while (pending()) {
    step();
    if (state_ == static_cast<std::uint64_t>(state) && in_state_ >= cycles &&
        (!inside_item || this->inside_item()))
      return true;
  }
  return false;
}

bool AttentionDriver::run_for(std::uint64_t cycles) {
  for (; cycles > 0 && pending(); --cycles) step();
  return cycles == 0;
}

bool AttentionDriver::pending() const { return next_ < script_->steps.size() || !quiet(); }

/// Nothing is under way.
bool AttentionDriver::quiet() const {
  return !item_ && !order_ && !loading_ && !collector_->pending() && ports_.busy.get() == 0;
}

void AttentionDriver::step() {
  if (cycle_ >= waves_from_ && !waves_path_.empty()) {
    model_.start_waves(waves_path_);
    waves_path_.clear();
  }
  begin_steps();
  const bool held = cycle_ < held_until_;
  ports_.output_ready.set(held || stalls_.output() ? 0 : 1);
  ports_.score_ready.set(held || stalls_.output() ? 0 : 1);
  offer_beat();
  offer_order();
  model_.settle();
  observe();
  model_.edge();
  if (*model_.failure() != '\0')
    throw AssertionError(std::string("the assertion at ") + model_.failure() + " failed");
  release();
  ++cycle_;
  if (cycle_ - last_progress_ > kPatience)
    throw ProtocolError("cycle " + std::to_string(cycle_) + ": the macro hangs in state " +
                        std::to_string(ports_.state.get()));
}

// ---- Steps

void AttentionDriver::begin_steps() {
  while (next_ < script_->steps.size() && begin(script_->steps[next_])) ++next_;
}

/// An item, behind which no order waits but one that is sure to be taken first.
bool AttentionDriver::may_begin_item() const {
  return !item_ && rotation_ == nullptr &&
         (!order_ || (early_ && !order_->taken && order_->offered > 0));
}

/// An order, in front of which no item waits for its first beat.
bool AttentionDriver::may_begin_order() const {
  return !order_ && rotation_ == nullptr && (!item_ || (early_ && item_->beats > 0));
}

/// False if it has to wait.
bool AttentionDriver::begin(const run::AttentionStep& step) {
  namespace s = run::attention_step;
  const auto item = [&](unsigned kind, std::uint32_t segment) {
    if (!may_begin_item()) return false;
    begin_item(kind, segment);
    return true;
  };
  const auto order = [&](const SegmentCommand* command) {
    if (!may_begin_order()) return false;
    order_ = Order{next_, command == nullptr, kBad, {}};
    if (command != nullptr) {
      order_->fields = *command;
      order_->kind = code_of(command->kind);
    }
    streams_.command_inside_item += item_ ? 1 : 0;
    return true;
  };
  const auto loads = [&] {
    if (!quiet()) return false;
    load(step);
    loading_ = true;
    return true;
  };
  return std::visit(
      run::Overloaded{[&](const s::Take& take) {
                        const SegmentCommand& command = take.command;
                        if (command.kind == SegmentCommand::Kind::append)
                          return item(kAppend, command.segment);
                        if (command.kind == SegmentCommand::Kind::attend)
                          return item(kAttend, command.segment);
                        return order(&command);
                      },
                      [&](const s::Score& score) { return item(kScore, score.segment); },
                      [&](const s::Bad& bad) {
                        if (bad.item) return item(kBad, 0);
                        if (!order(nullptr)) return false;
                        order_->clear = false;
                        return true;
                      },
                      [&](const s::Clear&) { return order(nullptr); },
                      [&](const s::Hold& hold) {
                        held_until_ = cycle_ + static_cast<std::uint64_t>(hold.cycles);
                        return true;
                      },
                      [&](const s::LoadScale&) { return loads(); },
                      [&](const s::LoadRotation&) { return loads(); },
                      [&](const s::ClearErrors&) { return loads(); },
                      [&](const s::Inject&) { return loads(); },
                      [&](const s::Protect&) { return loads(); }},
      step);
}

void AttentionDriver::begin_item(unsigned kind, std::uint32_t segment) {
  Item item{next_, kind, segment, {}};
  const files::Trace& vectors = script_->vectors;
  if (kind == kAppend) {
    item.row = key_++;
    appends_.push_back(next_);
    item.vectors = {vectors.keys.data() + item.row * d_, vectors.values->data() + item.row * d_};
  } else {
    const auto heads = static_cast<std::size_t>(config_.attention.parameters.group);
    item.vectors.assign(heads, zeros_.data());
    item.row = query_;
    if (kind != kBad) item.queries = std::min(heads, vectors.query_count() - query_);
    for (std::size_t g = 0; g < item.queries; ++g)
      item.vectors[g] = vectors.queries.data() + (query_ + g) * d_;
    query_ += item.queries;
    ++groups_;
  }
  item_ = std::move(item);
}

// ---- Counters

AttentionCounters AttentionDriver::events() const {
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

std::vector<std::uint64_t> AttentionDriver::code_events() const {
  std::vector<std::uint64_t> counts;
  for (int event = 0; layout_.code && event < 4; ++event)
    counts.push_back(ports_.code_counts.field(event * 32, 32));
  return counts;
}

}  // namespace axelram::sim
