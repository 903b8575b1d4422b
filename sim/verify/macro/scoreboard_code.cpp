#include <algorithm>

#include "verify/macro/scoreboard.hpp"

namespace axelram::sim {
namespace {

/// Check of every cycle. It does not count as a compared value.
void require_same(const char* tensor, const char* what, std::size_t expected, std::size_t seen) {
  if (expected != seen)
    throw MismatchError(tensor, std::string(what) + ": expected " + std::to_string(expected) +
                                    ", the RTL has " + std::to_string(seen));
}

}  // namespace

void Scoreboard::on_record(const std::uint8_t* record) {
  std::deque<std::vector<std::uint8_t>>& records = segments_.front().records;
  if (records.empty()) throw MismatchError("records", "the RTL outputs one that is not expected");
  record_ = std::move(records.front());
  records.pop_front();
  compare_bytes("records", "record", *record_, record);
}

void Scoreboard::on_memory_read(bool scrub, unsigned address) {
  (scrub ? memory_cycle_.scrub_read : memory_cycle_.query_read) = address;
  if (address >= driver_->key_count())
    throw MismatchError("protocol", "key " + std::to_string(address) + " is read, of " +
                                        std::to_string(driver_->key_count()) + " stored");
  coded_->read(address, driver_->cycle());
}

void Scoreboard::on_decoded(bool scrub, const std::uint8_t* record, const std::uint8_t* statuses) {
  auto decoded = coded_->decode(scrub, driver_->cycle());
  if (!decoded) throw MismatchError("records", "a record is decoded that was not read");
  const std::string where = "decoded record of key " + std::to_string(decoded->key);
  compare_bytes("records", where, decoded->record, record);
  compare_bytes("statuses", where, decoded->statuses, statuses);
  memory_cycle_.decoded = std::move(decoded);
  memory_cycle_.scrub = scrub;
  if (scrub) return;
  coded_->corners.full_rate += driver_->cycle() == query_decoded_ + read_rows_;
  query_decoded_ = driver_->cycle();
}

void Scoreboard::on_write_back() {
  memory_cycle_.written_back = true;
  coded_->write_back(driver_->cycle());
}

void Scoreboard::on_cycle_end() {
  check_initialisation();
  check_write_back();
  check_scrubber();
  require_same("errors", "an injection is armed", coded_->armed(driver_->cycle()),
               driver_->injection_armed());
  memory_cycle_ = {};
}

void Scoreboard::check_initialisation() {
  const std::uint64_t cycle = driver_->cycle();
  require_same("protocol", "the memory is initialised", cycle >= started_ + reset_cycles_,
               driver_->ready());
  if (cycle != started_ + reset_cycles_) return;
  const std::vector<std::uint8_t> zero(coded_->stored_bytes());
  for (int key = 0; key < std::min(config_.max_keys, 65536); ++key)
    if (model_.stored(static_cast<unsigned>(key), zero.size()) != zero)
      throw MismatchError("codewords", "word " + std::to_string(key) + " is not initialised");
}

/// A record with a corrected word is written back at once. A scrub yields to a key that is stored
/// and to a read of its word.
void Scoreboard::check_write_back() {
  const MemoryCycle& now = memory_cycle_;
  const bool wanted = now.decoded && coded_->wants_write_back(now.scrub, *now.decoded);
  const bool busy = wanted && now.scrub && (now.stored || now.query_read == now.decoded->key);
  require_same("codewords", "a record is written back", wanted && !busy, now.written_back);
  CodeCorners& corners = coded_->corners;
  (now.scrub ? corners.written_by_scrub : corners.written_by_query) += now.written_back;
  corners.lost_to_key += busy && now.stored;
  corners.lost_to_read += busy && !now.stored;
  if (now.decoded && now.scrub) schedule_.done(driver_->cycle(), busy);
}

void Scoreboard::check_scrubber() {
  const bool idle = driver_->state() <= 1 && driver_->ready();
  const auto key = schedule_.read(driver_->cycle(), idle, driver_->key_count());
  require_same("protocol", "a scrub reads the memory", key.has_value(),
               memory_cycle_.scrub_read.has_value());
  if (!key) return;
  require_same("protocol", "key that is scrubbed", *key, *memory_cycle_.scrub_read);
  coded_->corners.scrubs_round += *key == 0 && last_scrubbed_ > 0;
  last_scrubbed_ = *key;
}

void Scoreboard::on_lookup(const std::uint8_t* record) {
  const auto expected = coded_->lookup();
  if (!expected) throw MismatchError("records", "a record is looked up that was not read");
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

void Scoreboard::compare_events(const KeyStoreEvents& expected) {
  const std::uint64_t counts[] = {expected.corrected, expected.parity_only, expected.detected,
                                  expected.scrubbed};
  for (int event = 0; event < 4; ++event)
    compare("errors", "code counter " + std::to_string(event),
            static_cast<std::int64_t>(counts[event]), driver_->code_count(event));
  const std::optional<unsigned> first = driver_->first_error();
  compare("errors", "first error known", expected.first_error.has_value(), first.has_value());
  if (!first) return;
  compare("errors", "first error", static_cast<std::int64_t>(*expected.first_error), *first);
  ++coded_->corners.first_error;
}

}  // namespace axelram::sim
