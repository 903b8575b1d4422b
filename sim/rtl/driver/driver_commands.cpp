#include <cstring>

#include "axelram/sim/driver.hpp"

namespace axelram::sim {

void Driver::run(const std::vector<Command>& commands, Observer& observer) {
  commands_done_ = 0;
  for (const Command& command : commands) {
    ++commands_done_;
    std::visit([&](const auto& kind) { execute(kind, observer); }, command);
  }
}

template <class Done>
void Driver::step_until(Done&& done, Observer& observer) {
  // Longer than the longest stall, the slowest table and the initialisation of the memory.
  const std::uint64_t patience = 20000 + 64 * static_cast<std::uint64_t>(stalls_.stalls().longest) +
                                 static_cast<std::uint64_t>(layout_.build_cycles) * 2 +
                                 static_cast<std::uint64_t>(layout_.reset_cycles);
  while (!done()) {
    step(observer);
    if (cycle_ - last_progress_ > patience)
      throw ProtocolError("cycle " + std::to_string(cycle_) + ": the macro hangs in state " +
                          std::to_string(state_.get()) + "; no progress for " +
                          std::to_string(patience) + " cycles");
  }
}

void Driver::offer(const Vector& vector, Kind kind, bool then_clear) {
  offered_ = {vector.data(), kind, then_clear};
  beat_ = 0;
}

void Driver::execute(const command::Key& key, Observer& observer) {
  offer(key.vector, Kind::key, false);
  step_until([&] { return offered_.elements == nullptr; }, observer);
}

void Driver::execute(const command::Record& record, Observer& observer) {
  // Whole beats. The bits behind the record are random.
  const int lanes = config_.microarchitecture.key_lanes;
  Vector beats(static_cast<std::size_t>(layout_.beats * lanes));
  for (std::uint16_t& word : beats) word = static_cast<std::uint16_t>(stalls_.random());
  std::memcpy(beats.data(), record.bytes.data(), record.bytes.size());
  offer(beats, Kind::record, false);
  step_until([&] { return offered_.elements == nullptr; }, observer);
}

void Driver::execute(const command::KeyThenClear& key, Observer& observer) {
  offer(key.vector, Kind::key, true);
  step_until([&] { return offered_.elements == nullptr && !clearing_; }, observer);
}

void Driver::execute(const command::Query& query, Observer& observer) {
  offer(query.vector, Kind::query, false);
  step_until([&] { return offered_.elements == nullptr; }, observer);
}

void Driver::execute(const command::Clear&, Observer& observer) {
  clearing_ = true;
  step_until([&] { return !clearing_; }, observer);
}

void Driver::execute(const command::ClearBeforeNext&, Observer& observer) {
  // A beat that is valid in the first cycle of a clear may be accepted before it.
  clearing_ = true;
  step(observer);
}

void Driver::execute(const command::Drain&, Observer& observer) {
  step_until(
      [&] { return writes_pending_ == 0 && !query_running_ && scores_pending_ == 0 && ready(); },
      observer);
  step(observer);
  if (busy_.get() != 0) throw ProtocolError("busy_o is high without work");
  observer.on_drained();
}

void Driver::execute(const command::ClearErrors&, Observer& observer) {
  errors_clear_.set(1);
  step(observer);
  errors_clear_.set(0);
  observer.on_errors_clear();
}

void Driver::execute(const command::ClearErrorsAtRejection&, Observer& observer) {
  execute(command::ClearErrors{}, observer);
}

void Driver::execute(const command::Reset& command, Observer& observer) {
  offered_ = {command.vector.empty() ? nullptr : command.vector.data(), Kind::key, false};
  for (int i = 0; i < command.after; ++i) step(observer);
  ++stall_counts_.resets_by_state[state_.get() & 3];
  if (layout_.code) {
    stall_counts_.resets_initialising += !ready();
    stall_counts_.resets_scrubbing += scrubbing_;
  }
  reset();
  observer.on_reset();
}

void Driver::execute(const command::Inject& inject, Observer& observer) {
  inject_load_.set(1);
  inject_mode_.set(static_cast<std::uint64_t>(inject.mode));
  inject_mask_.set_bytes(inject.mask.data());
  step(observer);
  inject_load_.set(0);
  observer.on_inject(inject.mode, inject.mask);
}

void Driver::execute(const command::Protect& protect, Observer& observer) {
  code_load_.set(1);
  erasure_.set(static_cast<std::uint64_t>(protect.erasure));
  write_back_.set(protect.write_back ? 1 : 0);
  step(observer);
  code_load_.set(0);
  observer.on_protection(protect.erasure, protect.write_back);
}

void Driver::execute(const command::Wait& wait, Observer& observer) {
  for (int i = 0; i < wait.cycles; ++i) step(observer);
}

void Driver::execute(const command::AwaitScrub& wait, Observer& observer) {
  for (int i = 0; i < wait.cycles && !scrubbing_; ++i) step(observer);
}

}  // namespace axelram::sim
