#include <array>

#include "axelram/sim/driver.hpp"

namespace axelram::sim {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

}  // namespace

void Driver::observe(Observer& observer) {
  const auto state = static_cast<unsigned>(state_.get());
  // The end of a query is handled first: the next vector may be accepted in the same cycle.
  if (query_done_.get() != 0) {
    query_running_ = rotating_ = false;
    counted_scores_ = false;
    last_progress_ = cycle_;
    observer.on_query_done();
  }
  account(state);

  if ((writes_pending_ > 0 || query_running_ || beat_ > 0) && busy_.get() == 0)
    throw ProtocolError("busy_o is low while a vector is processed");
  if (!ready() && busy_.get() == 0) throw ProtocolError("busy_o is low before the macro is ready");
  const bool taken = beat_on_bus_ && vector_ready_.get() != 0;
  if (!ready() && (taken || (clear_valid_.get() & clear_ready_.get()) != 0))
    throw ProtocolError("a vector or a clear is accepted before the macro is ready");
  if (taken && offered_.kind != Kind::record) written_beat_ = cycle_;
  if (layout_.clock_cycles > 0) check_clock();
  if (beat_on_bus_ && !taken) {
    ++stall_counts_.waiting[state];
    if (layout_.key_wait > 0) stall_counts_.key_awaited += key_waits_.get();
    if (layout_.code) stall_counts_.waiting_initialised += !ready();
  }
  if (taken) {
    const bool query = offered_.kind == Kind::query;
    if (beat_ == 0) {
      if (last_beat_just_taken_) ++stall_counts_.back_to_back;
      if (first_beat_ == kNever) first_beat_ = cycle_;
      if (!query && first_key_beat_ == kNever) first_key_beat_ = cycle_;
      if (query) {
        rotating_ = true;
        ++cycles_.rotate;
      }
    }
    beat_on_bus_ = false;
    last_progress_ = cycle_;
    if (offered_.then_clear) clearing_ = clearing_ || beat_ == 0;
    if (++beat_ == (offered_.kind == Kind::record ? layout_.beats : layout_.rows)) {
      offered_ = {};
      beat_ = 0;
      if (query)
        query_running_ = true;
      else
        ++writes_pending_;
    }
  }
  last_beat_just_taken_ = taken && offered_.elements == nullptr;

  if (clear_valid_.get() != 0) {
    if (clear_ready_.get() != 0) {
      clearing_ = false;
      last_progress_ = cycle_;
      stall_counts_.clears_scrubbing += scrubbing_;
    } else if (writes_pending_ > 0) {
      ++stall_counts_.clear_waited;
    }
  }
  if (layout_.code) observe_code(observer);
  observe_key(observer);
  observe_scores(observer);
  if (layout_.code) observer.on_cycle_end();
  // `total` ends with the last event, without idle cycles.
  if (last_progress_ == cycle_ && first_beat_ != kNever) cycles_.total = cycle_ - first_beat_ + 1;
}

// The write path has a clock in the cycles that the layout says, and in no others.
void Driver::check_clock() const {
  const std::uint64_t behind = cycle_ - written_beat_;
  const bool expected = behind <= static_cast<std::uint64_t>(layout_.clock_cycles);
  if ((clock_running_.get() != 0) != expected)
    throw ProtocolError(std::string("the write path has ") + (expected ? "no" : "a") + " clock " +
                        std::to_string(behind) + " cycles behind a beat or a reset");
}

void Driver::account(unsigned state) {
  if (state == 2) {
    ++cycles_.build;
    rotating_ = false;
    last_progress_ = cycle_;
  }
  if (state == 3) {
    ++cycles_.read;
    if (read_.get() != 0)
      --reads_left_;
    else if (reads_left_ > 0 && since_read_ >= layout_.read_rows)
      ++(copy_awaited() ? stall_counts_.copy_awaited : stall_counts_.reads_throttled);
  }
  since_read_ = read_.get() != 0 ? 1 : since_read_ + 1;
  if (rotating_) ++cycles_.rotate;
  stall_counts_.record_waited += record_waits_.get();
}

bool Driver::copy_awaited() const {
  return config_.parameters.copies() != 0 && copy_ready_.get() == 0;
}

void Driver::observe_copy(Observer& observer) {
  if (copy_valid_.get() == 0) return;
  std::array<std::int32_t, 256> values{};
  const int lanes = config_.microarchitecture.key_lanes;
  const int bits = config_.parameters.exact_bits;
  for (int i = 0; i < lanes; ++i)
    values[static_cast<std::size_t>(i)] = copy_.signed_field(i * bits, bits);
  observer.on_copy_row(values.data(), lanes, static_cast<int>(copy_exponent_.get_signed()));
}

void Driver::observe_key(Observer& observer) {
  if (config_.parameters.copies() != 0) observe_copy(observer);
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout_.parts); ++j)
    observe_part(j, observer);
  if (config_.parameters.prod()) observe_residual(observer);
  const bool stored = record_valid_.get() != 0;
  const bool full = record_rejected_.get() != 0;
  if (layout_.code && (stored || full)) {
    std::array<std::uint8_t, 136> bytes{};  // the widest record has 130
    record_.get_bytes(bytes.data());
    observer.on_record(bytes.data());
  }
  if (stored) observer.on_record_stored(key_count());
  if (full) observer.on_record_rejected();
  const bool rejected = key_rejected_.get() != 0;
  if (rejected) observer.on_key_rejected();
  if (stored || full || rejected) {
    writes_pending_ -= (stored || full ? 1U : 0U) + (rejected ? 1U : 0U);
    cycles_.write = cycle_ - first_key_beat_ + 1;
    last_progress_ = cycle_;
  }
}

void Driver::observe_code(Observer& observer) {
  if (lookup_valid_.get() != 0) {
    std::array<std::uint8_t, 136> record{};
    lookup_.get_bytes(record.data());
    observer.on_lookup(record.data());
  }
  if (decoded_valid_.get() != 0) {
    std::array<std::uint8_t, 136> record{};
    std::array<std::uint8_t, 264> statuses{};
    decoded_.get_bytes(record.data());
    status_.get_bytes(statuses.data());
    const bool scrub = decoded_scrub_.get() != 0;
    if (scrub) scrubbing_ = false;
    observer.on_decoded(scrub, record.data(), statuses.data());
    if (written_back_.get() != 0) observer.on_write_back();
  } else if (written_back_.get() != 0) {
    throw ProtocolError("a record is written back, but none is decoded");
  }
  if (memory_read_.get() != 0) {
    const bool scrub = read_.get() == 0;
    if (scrub) scrubbing_ = true;
    if (!scrub && scrubbing_) ++stall_counts_.queries_scrubbing;
    observer.on_memory_read(scrub, static_cast<unsigned>(memory_address_.get()));
  }
}

void Driver::observe_scores(Observer& observer) {
  observe_query(observer);
  if (acc_valid_.get() != 0) {
    observer.on_accumulator(acc_.get_signed());
    if (config_.parameters.split()) observer.on_accumulator(second_acc_.get_signed());
    if (config_.parameters.prod()) observer.on_residual_accumulator(residual_acc_.get_signed());
  }

  const auto state = static_cast<unsigned>(state_.get());
  if (state == 2 && !counted_scores_) {
    scores_pending_ += key_count();
    reads_left_ = key_count();
    counted_scores_ = true;
  }
  const bool valid = score_valid_.get() != 0;
  const std::array<std::uint64_t, 3> offered = {score_data_.get(), score_last_.get(),
                                                score_saturated_.get()};
  if (score_held_ && !valid)
    throw ProtocolError("score_valid_o fell before the score was accepted");
  if (score_held_ && offered != held_score_)
    throw ProtocolError("a score changed before it was accepted");
  score_held_ = valid && score_ready_.get() == 0;
  held_score_ = offered;
  if (!valid) return;
  const bool last = score_last_.get() != 0;
  if (score_ready_.get() == 0) {
    (score_is_first_ ? stall_counts_.score_held_first
     : last          ? stall_counts_.score_held_last
                     : stall_counts_.score_held_middle)++;
    return;
  }
  observer.on_score(static_cast<std::uint32_t>(score_data_.get()), last,
                    score_saturated_.get() != 0);
  if (state == 0) ++stall_counts_.scores_during_accept;
  --scores_pending_;
  score_is_first_ = last;
  last_progress_ = cycle_;
}

}  // namespace axelram::sim
