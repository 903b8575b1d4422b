#include "scoreboard.hpp"

namespace axelram::sim {

void Scoreboard::on_record(const std::uint8_t* record) {
  std::deque<std::vector<std::uint8_t>>& records = segments_.front().records;
  if (records.empty())
    throw MismatchError("records", "the RTL shows one that nothing accounts for");
  record_ = std::move(records.front());
  records.pop_front();
  compare_bytes("records", "record", *record_, record);
}

void Scoreboard::on_memory_read(unsigned address) { coded_->read(address, driver_->cycle()); }

void Scoreboard::on_decoded(bool scrub, const std::uint8_t* record, const std::uint8_t* statuses) {
  if (must_write_back_) throw MismatchError("codewords", "a corrected record was not written back");
  const auto decoded = coded_->decode(scrub, driver_->cycle());
  if (!decoded) throw MismatchError("records", "a record is decoded that was not read");
  const std::string where = "decoded record of key " + std::to_string(decoded->key);
  compare_bytes("records", where, decoded->record, record);
  compare_bytes("statuses", where, decoded->statuses, statuses);
  must_write_back_ = coded_->must_write_back(scrub, *decoded);
  may_write_back_ = coded_->may_write_back(scrub, *decoded);
}

void Scoreboard::on_write_back() {
  if (!may_write_back_)
    throw MismatchError("codewords", "a record is written back that was not corrected");
  must_write_back_ = may_write_back_ = false;
  coded_->write_back(driver_->cycle());
}

void Scoreboard::on_lookup(const std::uint8_t* record) {
  const auto expected = coded_->lookup();
  if (!expected) throw MismatchError("records", "a record goes to the lookups that was not read");
  compare_bytes("records", "repaired record", *expected, record);
}

void Scoreboard::on_inject(Injection injection, const std::vector<std::uint8_t>& mask) {
  coded_->inject(injection, mask, driver_->cycle());
}

void Scoreboard::on_protection(ErasurePolicy erasure, bool write_back) {
  coded_->protect(erasure, write_back);
}

void Scoreboard::on_errors_clear() {
  if (coded_) coded_->clear_events(driver_->cycle() - 1);
}

void Scoreboard::compare_events(const KeyStoreEvents& golden) {
  if (must_write_back_) throw MismatchError("codewords", "a corrected record was not written back");
  const KeyStoreEvents events =
      config_.ecc.scrub_interval > 0 ? coded_->events(driver_->cycle()) : golden;
  const std::uint64_t expected[] = {events.corrected, events.parity_only, events.detected,
                                    events.scrubbed};
  for (int event = 0; event < 4; ++event)
    compare("errors", "code counter " + std::to_string(event),
            static_cast<std::int64_t>(expected[event]), driver_->code_count(event));
  const std::optional<unsigned> first = driver_->first_error();
  compare("errors", "first error known", events.first_error.has_value(), first.has_value());
  if (first)
    compare("errors", "first error", static_cast<std::int64_t>(*events.first_error), *first);
}

}  // namespace axelram::sim
