#include <algorithm>

#include "rtl/attention/driver.hpp"

namespace axelram::sim {
namespace {

/// Cycles for which a beat of outputs is held for long.
constexpr std::uint64_t kLong = 9000;

}  // namespace

void AttentionDriver::offer_beat() {
  if (item_ && item_->offered) return;
  ports_.vector_valid.set(0);
  if (!item_) return;
  Item& item = *item_;
  if (stalls_.input()) {
    streams_.gap_inside_vector += item.beats % layout_.rows != 0 ? 1 : 0;
    streams_.gap_between_vectors += item.beats % layout_.rows == 0 ? 1 : 0;
    return;
  }
  // Only the first beat of an item names kind and segment. Others carry random bits.
  const bool names = item.beats == 0;
  ports_.vector_kind.set(names ? item.kind : stalls_.random() & 3U);
  ports_.vector_segment.set(names ? item.segment : stalls_.random() & 255U);
  const auto vector = static_cast<std::size_t>(item.beats / layout_.rows);
  ports_.vector_data.set_bytes(item.vectors[vector] +
                               item.beats % layout_.rows * config_.microarchitecture.key_lanes);
  ports_.vector_valid.set(1);
  item.offered = true;
}

void AttentionDriver::offer_order() {
  ports_.command_valid.set(0);
  ports_.clear_valid.set(0);
  if (!order_ || order_->taken || (order_->offered == 0 && order_stalls_.input())) return;
  const files::SegmentCommand& fields = order_->fields;
  if (order_->offered == 0 && !order_->clear) {
    ports_.command_kind.set(order_->kind);
    ports_.command_segment.set(fields.segment);
    ports_.command_base.set(fields.allocation.base);
    ports_.command_capacity.set(fields.allocation.capacity);
    ports_.command_sinks.set(fields.allocation.sinks);
    ports_.command_rotation.set(fields.allocation.rotation);
    ports_.command_wrap.set(fields.allocation.wrap ? 1 : 0);
    ports_.command_n.set(fields.n);
  }
  (order_->clear ? ports_.clear_valid : ports_.command_valid).set(1);
  ++order_->offered;
}

void AttentionDriver::observe() {
  const std::uint64_t state = ports_.state.get();
  in_state_ = state == state_ ? in_state_ + 1 : 1;
  state_ = state;
  if (order_ && state == static_cast<std::uint64_t>(AttentionState::command) &&
      ports_.bad_command.get() != 0)
    refused_[order_->step] = 1;
  groups_done_ += ports_.query_done.get();
  observe_streams();
  observe_order();
  observe_beat();
  collector_->observe();
  for (const std::size_t row : collector_->take_rejected_tokens()) refused_[appends_[row]] = 1;
  if (collector_->take_rejected_group()) {
    refused_[group_] = 1;
    rotating_ = false;
  }
  account();
}

/// The beat on offer, if it is taken in this cycle.
void AttentionDriver::observe_beat() {
  if (!item_ || !item_->offered) return;
  Item& item = *item_;
  if (ports_.vector_ready.get() == 0) {
    ++streams_.waiting[ports_.state.get()];
    const bool waits_for_room = item.beats == 0 && item.kind == kAttend && !order_ &&
                                ports_.state.get() == 0 && collector_->outputs_pending();
    streams_.group_waits_for_room += waits_for_room ? 1 : 0;
    return;
  }
  const bool good = ports_.beat.get() != 0;  // not of a bad command
  const bool is_token = item.kind == kAppend;
  if (item.beats == 0) {
    first_beat_ = std::min(first_beat_, cycle_);
    if (is_token) first_token_ = std::min(first_token_, cycle_);
    streams_.back_to_back += item_ended_ + 2 == cycle_ ? 1 : 0;
    if (!is_token && good) {
      streams_.groups_overlapping += collector_->outputs_pending() ? 1 : 0;
      collector_->group_taken(item.row, item.queries, item.kind == kAttend);
      group_ = item.step;
      rotating_ = true;
    }
  }
  ++item.beats;
  item.offered = false;
  last_progress_ = cycle_;
  if (item.beats % layout_.rows != 0) return;
  const bool is_last = item.beats / layout_.rows == static_cast<int>(item.vectors.size());
  if (good && is_token) {
    collector_->vector_taken(item.row, is_last);
    if (is_last) collector_->token_taken(item.row);
  }
  if (good && !is_token) collector_->query_taken();
  if (!good) refused_[item.step] = 1;
  if (is_last) {
    item_.reset();
    item_ended_ = cycle_;
  }
}

/// The order on offer, if it is taken in this cycle, and the end of one that was.
void AttentionDriver::observe_order() {
  if (!order_) return;
  if (order_->taken) {
    if (ports_.state.get() != static_cast<std::uint64_t>(AttentionState::command)) order_.reset();
    return;
  }
  if (order_->offered == 0) return;
  const PortValue& ready = order_->clear ? ports_.clear_ready : ports_.command_ready;
  if (ready.get() == 0) {
    streams_.order_waits_for_tokens += collector_->tokens_pending() ? 1 : 0;
    return;
  }
  order_->taken = true;
  last_progress_ = cycle_;
  if (item_ && item_->offered)
    ++(order_->clear ? streams_.clear_before_item : streams_.command_before_item);
  streams_.commands_while_held += output_waits_ > 0 ? 1 : 0;
}

void AttentionDriver::observe_streams() {
  const bool output = ports_.output_valid.get() != 0, taken = ports_.output_ready.get() != 0;
  if (output && !taken) {
    ++output_waits_;
    streams_.output_held_long += output_waits_ == kLong ? 1 : 0;
    const bool last = ports_.output_last.get() != 0;
    streams_.output_held_first += first_output_ ? 1 : 0;
    streams_.output_held_middle += !first_output_ && !last ? 1 : 0;
    streams_.output_held_last += last ? 1 : 0;
  } else {
    output_waits_ = 0;
  }
  if (output && taken) first_output_ = ports_.output_last.get() != 0;
  if (ports_.score_valid.get() != 0 && ports_.score_ready.get() == 0) ++streams_.score_held;
  if (ports_.token_done.get() != 0 && output_waits_ > 0) ++streams_.tokens_while_held;
}

void AttentionDriver::account() {
  const std::uint64_t state = ports_.state.get();
  const auto is = [&](AttentionState which) { return state == static_cast<std::uint64_t>(which); };
  // Behind the encoder, if there is one.
  const bool stored = (layout_.code ? ports_.written : ports_.token_done).get() != 0;
  const bool output = ports_.output_valid.get() != 0 && ports_.output_ready.get() != 0;
  const bool score = ports_.score_valid.get() != 0 && ports_.score_ready.get() != 0;
  if (stored) cycles_.write = cycle_ - first_token_ + 1;
  if (is(AttentionState::build)) rotating_ = false;
  cycles_.rotate += rotating_ ? 1 : 0;
  cycles_.build += is(AttentionState::build) ? 1 : 0;
  cycles_.read += is(AttentionState::read) ? 1 : 0;
  cycles_.tail += is(AttentionState::tail) ? 1 : 0;
  if (stored || output || score || is(AttentionState::build) || is(AttentionState::read))
    last_progress_ = cycle_;
  if (stored || output) cycles_.total = cycle_ - first_beat_ + 1;
}

}  // namespace axelram::sim
